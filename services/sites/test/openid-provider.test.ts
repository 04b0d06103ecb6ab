import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import type { OpenIdClientList } from '../src/openid-provider/schema.ts'
import { testPassword } from './in-process.ts'
import { callback, follow, issuerOf, openApplication, signInAt } from './openid-place.ts'
import { must, openPortalPlace, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'

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
    const back = await browser.submit(page.at, page.text, {})
    const answer = await follow(browser, back.location ?? '')
    assert.deepEqual(
      [answer.at.searchParams.get('error'), answer.at.searchParams.get('state')],
      ['access_denied', attempt.state],
    )
  })
})
