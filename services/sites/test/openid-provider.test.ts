import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import { eventually } from '@hearth/testing'
import type { OpenIdClientList, OpenIdClientSecret, OpenIdKeyView } from '../src/openid-provider/schema.ts'
import type { VisitExplanation } from '../src/portal/schema.ts'
import { testPassword } from './in-process.ts'
import { callback, follow, issuerOf, openApplication, portalAnswers, signInAt } from './openid-place.ts'
import { must, openPortalPlace, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'

test('a portal without applications answers no sign-in of one', { skip: caddyObstacle() }, async () => {
  await using place = await openPortalPlace()
  const visitor = place.visitor()
  await portalAnswers(place)
  for (const path of ['/.well-known/openid-configuration', '/oidc/auth', '/oidc/jwks'])
    assert.equal((await visitor.open(`${issuerOf(place)}${path}`)).status, 404, path)
  assert.deepEqual(await must(place.admin, 'GET', '/api/v1/openid/keys'), [], 'no key was made')
})

describe('applications that sign people in through the portal', { skip: caddyObstacle() }, () => {
  let place: PortalPlace

  before(async () => {
    place = await openPortalPlace()
    await place.addVisitor('ann', ['family'])
    await place.addVisitor('bob', ['guests'])
  })
  after(() => place[Symbol.asyncDispose]())

  const ann = { username: 'ann', password: testPassword }
  const bob = { username: 'bob', password: testPassword }

  test('a person signs in at the portal, and the application gets to know who it is', async () => {
    const application = await openApplication(place, 'Grafana', { groups: ['family'] })
    const browser = place.visitor()
    const attempt = await application.begin()
    const page = await follow(browser, attempt.url)
    assert.match(page.text, /To continue to Grafana\./)
    const answer = await signInAt(browser, page, ann)
    assert.equal(`${answer.at.origin}${answer.at.pathname}`, callback)
    assert.equal(answer.at.searchParams.get('iss'), issuerOf(place))
    const tokens = await application.finish(attempt, answer.at)
    const claims = tokens.claims()
    assert.deepEqual([claims?.iss, claims?.aud], [issuerOf(place), application.id])
    assert.deepEqual(claims?.['amr'], ['pwd'])
    assert.equal(claims?.['preferred_username'], undefined, 'the ID token holds no more than needed')
    const person = await fetchUserInfo(application.configuration, tokens.access_token, claims?.sub ?? '')
    assert.deepEqual(
      [person.preferred_username, person.email, person.email_verified, person['groups']],
      ['ann', 'ann@home.test', true, ['family']],
    )
    const again = await refreshTokenGrant(application.configuration, tokens.refresh_token ?? '')
    assert.equal(again.claims()?.sub, claims?.sub)
    const { clients } = await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')
    const shown = clients.find(({ id }) => id === application.id)
    assert.equal(shown?.last_username, 'ann')
  })

  test('one sign-in is enough for every application, and prompt=none asks nobody', async () => {
    const [first, second] = [await openApplication(place, 'First'), await openApplication(place, 'Second')]
    const browser = place.visitor()
    const strange = await follow(browser, (await second.begin({ prompt: 'none' })).url)
    assert.equal(strange.at.searchParams.get('error'), 'login_required')
    const begun = await first.begin()
    await first.finish(begun, (await signInAt(browser, await follow(browser, begun.url), ann)).at)
    const silent = await second.begin({ prompt: 'none' })
    const tokens = await second.finish(silent, (await follow(browser, silent.url)).at)
    assert.notEqual(tokens.claims()?.sub, undefined)
  })

  test('whoever is in none of the groups is told so, and may go back to the application', async () => {
    const application = await openApplication(place, 'Family only', { groups: ['family'] })
    const browser = place.visitor()
    const attempt = await application.begin()
    const page = await signInAt(browser, await follow(browser, attempt.url), bob)
    assert.equal(page.status, 403)
    assert.match(page.text, /<strong>bob<\/strong>, who may not use Family only/)
    const users = await must<{ id: string; username: string }[]>(place.admin, 'GET', '/api/users')
    const explain = async (username: string) => {
      const user = users.find((one) => one.username === username)
      const json = { url: 'https://app.home.test/somewhere', user_id: user?.id }
      return (await must<VisitExplanation>(place.admin, 'POST', '/api/v1/portal/explain', json)).reason
    }
    assert.match(await explain('bob'), /The application .* takes members of family, and bob is in guests\.$/)
    assert.match(await explain('ann'), /takes members of family, and ann is one of them\.$/)
    const back = await browser.submit(page.at, page.text, {})
    const answer = await follow(browser, back.location ?? '')
    assert.deepEqual(
      [answer.at.searchParams.get('error'), answer.at.searchParams.get('state')],
      ['access_denied', attempt.state],
    )
  })

  test('each sign-in to an application is in the security log, and so are changes of it', async () => {
    const { admin, visitor } = place
    const application = await openApplication(place, 'Logged')
    const browser = visitor()
    const attempt = await application.begin()
    await signInAt(browser, await follow(browser, attempt.url), bob)
    const path = `/api/v1/openid/clients/${application.id}`
    const { client } = await must<OpenIdClientSecret>(admin, 'POST', `${path}/secret`)
    const { id: _id, created_at: _created, last_used_at: at, last_username: who, ...values } = client
    assert.deepEqual([at === null, who], [false, 'bob'])
    await must(admin, 'PUT', path, { ...values, consent: 'asked' })
    await must(admin, 'DELETE', path)
    const read = async () => {
      const { events } = await must<{ events: Record<string, string>[] }>(admin, 'GET', '/api/security-log')
      return events.filter(({ target }) => target === 'Logged').map(({ username, detail }) => `${username}: ${detail}`)
    }
    assert.deepEqual(await eventually(read, (found) => found.length === 5), [
      'admin: application deleted',
      'admin: application changed',
      'admin: new secret of the application',
      'bob: to an application',
      'admin: application added',
    ])
  })

  test('a new secret ends the one before, and a group that an application names stays', async () => {
    const { admin, visitor } = place
    const application = await openApplication(place, 'Renewed', { groups: ['family'] })
    const refused = await admin.json<{ code: string }>('DELETE', '/api/v1/portal/groups/family')
    assert.deepEqual([refused.status, refused.body.code], [409, 'group_in_use'])
    const browser = visitor()
    const attempt = await application.begin()
    const answer = await signInAt(browser, await follow(browser, attempt.url), ann)
    await must(admin, 'POST', `/api/v1/openid/clients/${application.id}/secret`)
    await assert.rejects(application.finish(attempt, answer.at), { status: 401 })
    const taken = await admin.json('POST', '/api/v1/openid/clients', {
      json: { name: 'Renewed', redirect_uris: [callback] },
    })
    assert.equal(taken.status, 409)
    const wrong = await admin.json<{ errors: { field: string }[] }>('POST', '/api/v1/openid/clients', {
      json: { name: 'Wrong', redirect_uris: ['http://app.test/'], groups: ['family'] },
    })
    assert.deepEqual([wrong.status, wrong.body.errors[0]?.field], [422, 'redirect_uris.0'])
  })

  test('after a rotation the new key signs, and what the old one signed is still good', async () => {
    const { admin, visitor } = place
    const application = await openApplication(place, 'Rotated', {
      post_logout_redirect_uris: ['https://app.home.test/bye'],
    })
    const browser = visitor()
    const attempt = await application.begin()
    const answer = await signInAt(browser, await follow(browser, attempt.url), ann)
    const tokens = await application.finish(attempt, answer.at)
    const kidOf = (token = '') => (JSON.parse(Buffer.from(token, 'base64url').toString()) as { kid: string }).kid
    const before = kidOf(tokens.id_token?.split('.')[0])
    const keys = await must<OpenIdKeyView[]>(admin, 'POST', '/api/v1/openid/keys/rotate')
    assert.deepEqual(
      keys.map(({ state }) => state),
      ['previous', 'signing', 'next'],
    )
    assert.equal(keys[0]?.kid, before)
    const next = await application.begin()
    const again = await application.finish(next, (await follow(browser, next.url)).at)
    assert.equal(kidOf(again.id_token?.split('.')[0]), keys[1]?.kid)
    const hint = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://app.home.test/bye',
    })
    const page = await browser.open(`${issuerOf(place)}/oidc/session/end?${hint.toString()}`)
    assert.match(page.text, /Rotated signed you out/)
  })

  test('an application without a secret signs people in by PKCE alone', async () => {
    const application = await openApplication(place, 'Telephone', { is_public: true })
    assert.equal(application.secret, '')
    const browser = place.visitor()
    const attempt = await application.begin()
    const tokens = await application.finish(
      attempt,
      (await signInAt(browser, await follow(browser, attempt.url), ann)).at,
    )
    const next = await refreshTokenGrant(application.configuration, tokens.refresh_token ?? '')
    assert.notEqual(next.refresh_token, tokens.refresh_token)
  })

  test('max_age asks for a sign-in that is no older', async () => {
    const application = await openApplication(place, 'Careful')
    const browser = place.visitor()
    const begun = await application.begin()
    const first = await application.finish(begun, (await signInAt(browser, await follow(browser, begun.url), ann)).at)
    const recent = await application.begin({ max_age: '3600' })
    await application.finish(recent, (await follow(browser, recent.url)).at)
    const attempt = await application.begin({ max_age: '0' })
    const page = await follow(browser, attempt.url)
    assert.match(page.text, /To continue to Careful/)
    const silent = await application.begin({ max_age: '0', prompt: 'none' })
    assert.notEqual((await follow(browser, silent.url)).at.searchParams.get('error'), null)
    const again = await application.finish(attempt, (await signInAt(browser, page, ann)).at)
    assert.ok(Number(again.claims()?.['auth_time']) >= Number(first.claims()?.['auth_time']))
  })

  test('an application may ask that people choose who they are', async () => {
    const application = await openApplication(place, 'Choosing')
    const browser = place.visitor()
    const begun = await application.begin()
    await signInAt(browser, await follow(browser, begun.url), ann)
    const attempt = await application.begin({ prompt: 'select_account' })
    const page = await follow(browser, attempt.url)
    assert.match(page.text, /To continue to Choosing/)
    const person = (await application.finish(attempt, (await signInAt(browser, page, bob)).at)).claims()
    assert.notEqual(person, undefined)
  })

  test('a sign-in that waits for a password goes on after a restart', async () => {
    const application = await openApplication(place, 'Waiting')
    const browser = place.visitor()
    const attempt = await application.begin()
    const page = await follow(browser, attempt.url)
    await place.sites.restart()
    await portalAnswers(place)
    const answer = await signInAt(browser, page, ann)
    assert.notEqual((await application.finish(attempt, answer.at)).claims()?.sub, undefined)
  })
})
