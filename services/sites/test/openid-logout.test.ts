import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { PortalSessionView } from '../src/portal/schema.ts'
import { testPassword } from './in-process.ts'
import { readLogoutToken, startLogoutReceiver, type LogoutReceiver, type PublishedKey } from './logout-receiver.ts'
import { follow, issuerOf, openApplication, signInAt, type Application } from './openid-place.ts'
import { must, openPortalPlace, type PortalPlace } from './portal-place.ts'
import type { PortalVisitor } from './portal-visitor.ts'
import { caddyObstacle } from './real-caddy.ts'

describe('applications learn that a session ended', { skip: caddyObstacle() }, () => {
  let place: PortalPlace
  let receiver: LogoutReceiver

  before(async () => {
    place = await openPortalPlace()
    receiver = await startLogoutReceiver()
  })
  after(async () => {
    await place[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  /** Signs a new visitor in to an application, and returns what the application knows of them. */
  async function signIn(application: Application, username: string, visitor = place.visitor()) {
    const attempt = await application.begin()
    const page = await follow(visitor, attempt.url)
    const isThere = page.at.href.startsWith('https://app.home.test')
    const answer = isThere ? page : await signInAt(visitor, page, { username, password: testPassword })
    const tokens = await application.finish(attempt, answer.at)
    return { visitor, tokens, claims: tokens.claims() }
  }

  const open = (name: string, more: object = {}) =>
    openApplication(place, name, { backchannel_logout_uri: receiver.uri, ...more })

  const told = (count: number) =>
    eventually(
      async () => receiver.tokens.length,
      (length) => length >= count,
      { what: `logout token ${count}` },
    )

  async function keys(visitor: PortalVisitor) {
    const { text } = await visitor.open(`${issuerOf(place)}/oidc/jwks`)
    return (JSON.parse(text) as { keys: PublishedKey[] }).keys
  }

  test('signing out at the portal tells every application of the session, each by its own name for it', async () => {
    await place.addVisitor('ann')
    const [first, second] = [await open('First'), await open('Second')]
    const silent = await openApplication(place, 'Wants to hear nothing')
    const { visitor, claims } = await signIn(first, 'ann')
    const other = await signIn(second, 'ann', visitor)
    await signIn(silent, 'ann', visitor)
    const account = await visitor.open(issuerOf(place))
    await visitor.submit(new URL(issuerOf(place)), account.text, {})
    await told(2)
    const published = await keys(visitor)
    const found = receiver.tokens.map((token) => readLogoutToken(token, published))
    const of = (application: Application) => found.find(({ aud }) => aud === application.id) ?? {}
    assert.deepEqual(
      [of(first)['sub'], of(first)['sid'], of(first)['iss']],
      [claims?.sub, claims?.['sid'], issuerOf(place)],
    )
    assert.equal(of(second)['sid'], other.claims?.['sid'])
    assert.notEqual(of(first)['sid'], of(second)['sid'])
    assert.deepEqual(of(first)['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} })
    assert.equal(of(first)['nonce'], undefined)
    assert.equal(receiver.tokens.length, 2)
  })

  test('so does whatever else ends a session, and losing the last group of an application', async () => {
    const { admin } = place
    const bob = await place.addVisitor('bob', ['readers'])
    const [open1, grouped] = [await open('Open'), await open('Readers', { groups: ['readers'] })]
    const { visitor } = await signIn(open1, 'bob')
    await signIn(grouped, 'bob', visitor)
    let count = receiver.tokens.length
    await must(admin, 'PUT', '/api/v1/portal/groups/readers', { user_ids: [] })
    await told((count += 1))
    const published = await keys(visitor)
    const last = () => readLogoutToken(receiver.tokens.at(-1) ?? '', published)['aud']
    assert.equal(last(), grouped.id)
    const [session] = await must<PortalSessionView[]>(admin, 'GET', '/api/v1/portal/sessions').then((all) =>
      all.filter(({ username }) => username === 'bob'),
    )
    await must(admin, 'DELETE', `/api/v1/portal/sessions/${session?.id ?? ''}`)
    await told((count += 1))
    assert.equal(last(), open1.id)
    await signIn(open1, 'bob')
    await must(admin, 'PATCH', `/api/users/${bob.id}`, { is_active: false })
    await told((count += 1))
    await must(admin, 'PATCH', `/api/users/${bob.id}`, { is_active: true })
    await signIn(open1, 'bob')
    await must(admin, 'DELETE', `/api/users/${bob.id}`)
    await told((count += 1))
    assert.equal(receiver.tokens.length, count)
  })

  test('proving once more who one is keeps the session', async () => {
    await place.addVisitor('dora')
    const application = await open('Asks again')
    const { visitor, claims } = await signIn(application, 'dora')
    const count = receiver.tokens.length
    const attempt = await application.begin({ prompt: 'login' })
    const page = await follow(visitor, attempt.url)
    assert.match(page.text, /To continue to Asks again/)
    const answer = await signInAt(visitor, page, { username: 'dora', password: testPassword })
    const again = (await application.finish(attempt, answer.at)).claims()
    assert.equal(again?.['sid'], claims?.['sid'])
    assert.ok(Number(again?.['auth_time']) >= Number(claims?.['auth_time']))
    assert.equal(receiver.tokens.length, count)
  })

  test('an application that does not answer is told after a restart', async () => {
    await place.addVisitor('carl')
    const application = await open('Away')
    const { visitor } = await signIn(application, 'carl')
    receiver.status = 503
    const count = receiver.tokens.length
    const account = await visitor.open(issuerOf(place))
    await visitor.submit(new URL(issuerOf(place)), account.text, {})
    await told(count + 1)
    receiver.status = 200
    await place.sites.restart()
    await eventually(
      async () => receiver.tokens.length,
      (length) => length > count + 1,
      { what: 'the second try', seconds: 30 },
    )
  })
})
