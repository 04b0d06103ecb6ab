import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createSealer, hashToken } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { HttpError } from '@hearth/http'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import type { NewSecurityEvent } from '../../security-log/security-event.ts'
import { OpenIdError } from '../openid-error.ts'
import { ConnectionError, OpenIdConnection } from './connection.ts'
import { createOpenIdConnectionTable, type OpenIdConnectionTables } from './tables.ts'

const publicUrl = 'https://vpn.example.org'
const path = '/api/openid'
const ann = { userId: 'u-1', username: 'ann' }
const from = { address: '127.0.0.1', userAgent: 'test' }
const asUsual = { mustAskAgain: false }

const startPortal = () => startOpenIdProvider({ publicUrl, path })

/** A database, and processes of one service on it. */
async function openPlace(kind: 'sqlite' | 'postgres' = 'sqlite') {
  const database = openDatabase<OpenIdConnectionTables>(
    kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
  )
  await createOpenIdConnectionTable(database.query as never)
  const events: NewSecurityEvent[] = []
  const clock = createManualClock(Date.now())
  const process = (more: { publicUrl?: string | undefined } = {}) =>
    new OpenIdConnection({
      configured: undefined,
      publicUrl,
      service: 'vpn',
      title: 'Hearth VPN',
      query: database.query,
      clock,
      log: createLog({ name: 'test', level: 'silent' }),
      sealer: createSealer(Buffer.alloc(32, 7)),
      path,
      allow: createOutboundAllow([]),
      securityLog: {
        record(event) {
          events.push(event)
          return Promise.resolve()
        },
      },
      ...more,
    })
  return { database, events, clock, process, [Symbol.asyncDispose]: () => database.close() }
}

/** Visits the portal as the administrator's browser does, and returns its answer and the cookie. */
async function visitPortal(connection: OpenIdConnection, portal: OpenIdProvider) {
  const { url, cookie } = await connection.start(portal.issuer, ann)
  const answer = await portal.visit(url)
  return { url: new URL(url), answer: Object.fromEntries(answer.searchParams), cookie, returned: answer }
}

async function connect(connection: OpenIdConnection, portal: OpenIdProvider) {
  const { answer, cookie } = await visitPortal(connection, portal)
  const received = connection.receive(answer, cookie)
  assert.equal(received.to, 'answered')
  return connection.finish(received.cookie, ann, from)
}

const refusal = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ConnectionError || error instanceof HttpError, String(error))
  assert.match(error.message, words)
  return true
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(`a connection on ${kind}`, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('is made once, and every process signs people in through it until it is ended', async () => {
      await using portal = await startPortal()
      await using place = await openPlace(kind)
      const [connection, other] = [place.process(), place.process()]
      assert.equal(await other.source.find(), undefined)
      const { url, returned } = await visitPortal(connection, portal)
      assert.equal(url.searchParams.get('service'), 'vpn')
      assert.equal(url.searchParams.get('redirect_uri'), `${publicUrl}${path}/callback`)
      assert.equal(`${returned.origin}${returned.pathname}`, `${publicUrl}${path}/connection/callback`)
      const made = await connect(connection, portal)
      assert.deepEqual(
        [made.state, made.issuer, made.allowed_groups, made.admin_groups, made.connected_by],
        ['connected', portal.issuer, ['family'], ['admins'], 'ann'],
      )
      assert.deepEqual(portal.portal.registered[0]?.['redirect_uris'], [`${publicUrl}${path}/callback`])
      const openId = await other.source.findForSignIn()
      assert.equal(openId?.name, 'Hearth')
      assert.equal(await other.source.findForSignIn(), openId)
      const started = await openId.start('/peers', asUsual)
      const { identity, next } = await openId.finish((await portal.visit(started.url)).search, started.cookie)
      assert.deepEqual([identity.username, identity.role, next], ['maria', 'user', '/peers'])
      await assert.rejects(other.start(portal.issuer, ann), refusal(/connected already/))
      assert.deepEqual(await other.disconnect(ann, from), { is_removed_there: true })
      assert.equal(await connection.source.find(), undefined)
      assert.equal(portal.portal.isRegistered, false)
      await assert.rejects(connection.disconnect(ann, from), refusal(/not connected/))
      assert.deepEqual(
        place.events.map(({ kind: event, target, detail }) => [event, target, detail]),
        [
          ['openid_connected', portal.issuer, 'may sign in: family; administrators: admins'],
          ['openid_disconnected', portal.issuer, undefined],
        ],
      )
    })

    test('sessions that began at the portal end with its word, also when that failed the first time', async () => {
      await using portal = await startPortal()
      await using place = await openPlace(kind)
      const { source } = place.process()
      await connect(place.process(), portal)
      for (const key of ['one', 'two']) await source.onSession(key, 'gone')
      await source.onSession('three', 'other')
      const token = portal.logoutToken('gone', place.clock.now())
      const ended: string[] = []
      await assert.rejects(
        source.endSessions(token, () => Promise.reject(new Error('the database is away'))),
        { message: 'the database is away' },
      )
      const end = (hashes: readonly string[]) => Promise.resolve(void ended.push(...hashes))
      assert.deepEqual([await source.endSessions(token, end), await source.endSessions(token, end)], [2, 0])
      assert.deepEqual(ended.toSorted(), ['one', 'two'].map(hashToken).toSorted())
      assert.equal(await source.endSessions('no.such.token', end), undefined)
    })

    test('keeps its secrets sealed', async () => {
      await using portal = await startPortal()
      await using place = await openPlace(kind)
      await connect(place.process(), portal)
      const rows = JSON.stringify(await place.database.query.selectFrom('openid_connection').selectAll().execute())
      assert.doesNotMatch(rows, /a-secret-of-client-and-provider/)
    })
  })

test('the portal’s groups count from the next sign-in on, and a removed service is told so', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  await connect(connection, portal)
  portal.portal.groups = { allowed: ['*'], admins: [] }
  portal.person = { sub: 'p-2', preferred_username: 'guest' }
  const openId = await connection.source.findForSignIn()
  const started = await openId?.start('/', asUsual)
  const answer = await portal.visit(started?.url ?? '')
  const { identity } = (await openId?.finish(answer.search, started?.cookie)) ?? {}
  assert.deepEqual([identity?.username, identity?.role], ['guest', undefined])
  assert.deepEqual((await place.process().describe()).allowed_groups, ['*'])
  portal.portal.isRegistered = false
  assert.equal((await connection.describe()).state, 'removed')
  await assert.rejects(connection.source.findForSignIn(), (error) => {
    assert.ok(error instanceof OpenIdError)
    assert.equal(error.reason, 'openid_disconnected')
    return true
  })
})

test('a service that moved to another address is told to connect again', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  await connect(place.process(), portal)
  const moved = place.process({ publicUrl: 'https://tunnel.example.org' })
  assert.equal((await moved.describe()).state, 'moved')
  await assert.rejects(moved.source.findForSignIn(), /another PUBLIC_URL/)
  assert.deepEqual(await moved.disconnect(ann, from), { is_removed_there: true })
})

test('a portal that is down leaves the connection, and a disconnection says that the portal does not know of it', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  await connect(connection, portal)
  await portal.stop()
  assert.equal((await connection.describe()).state, 'unreachable')
  await assert.rejects(connection.source.findForSignIn(), (error) => {
    assert.ok(error instanceof OpenIdError)
    assert.equal(error.reason, 'openid_unavailable')
    return true
  })
  assert.equal((await connection.source.find())?.name, 'Hearth')
  assert.deepEqual(await connection.disconnect(ann, from), { is_removed_there: false })
  assert.equal((await connection.describe()).state, 'none')
})

test('a portal that takes a request and never answers is not waited for without end', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  await connect(connection, portal)
  portal.portal.isSilent = true
  const [shown] = await Promise.all([
    connection.describe(),
    assert.rejects(connection.source.findForSignIn(), /does not say who may sign in/),
  ])
  assert.equal(shown.state, 'unreachable')
})

test('only the browser, the administrator and the portal that began finish a connection, in time and once', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  const { answer, cookie } = await visitPortal(connection, portal)
  const other = await visitPortal(connection, portal)
  const to = (change: Record<string, string | undefined>, sealed: string | undefined = cookie) =>
    connection.receive({ ...answer, ...change }, sealed).to
  assert.equal(connection.receive(answer, undefined).to, 'expired')
  assert.equal(to({}, other.cookie), 'expired')
  assert.equal(to({}, `${cookie.slice(0, -2)}xx`), 'expired')
  assert.equal(to({ state: 'another' }), 'expired')
  assert.equal(to({ iss: 'https://evil.example' }), 'expired')
  assert.equal(to({ iss: undefined }), 'expired')
  assert.equal(to({ error: 'access_denied' }), 'declined')
  assert.equal(to({ code: undefined }), 'declined')
  const received = connection.receive(answer, cookie)
  await assert.rejects(connection.finish(cookie, ann, from), refusal(/took too long/))
  await assert.rejects(
    connection.finish(received.cookie, { userId: 'u-2', username: 'bob' }, from),
    refusal(/took too/),
  )
  await connection.finish(received.cookie, ann, from)
  await connection.disconnect(ann, from)
  await assert.rejects(connection.finish(received.cookie, ann, from), refusal(/did not accept the permission/))
  const late = connection.receive(other.answer, other.cookie)
  place.clock.advance(600_001)
  await assert.rejects(connection.finish(late.cookie, ann, from), refusal(/took too long/))
})

test('a permission of another browser registers nothing', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  const [mine, stolen] = [await visitPortal(connection, portal), await visitPortal(connection, portal)]
  const received = connection.receive({ ...mine.answer, code: stolen.answer['code'] }, mine.cookie)
  await assert.rejects(connection.finish(received.cookie, ann, from), refusal(/did not accept the permission/))
  assert.equal(portal.portal.isRegistered, false)
})

test('an address that is no portal is refused with its reason, before a browser goes there', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  const connection = place.process()
  const start = (address: string) => connection.start(address, ann)
  for (const address of ['', 'http://auth.example.org', 'https://auth.example.org/path', 'ftp://auth.example.org'])
    await assert.rejects(start(address), refusal(/must be the https address/))
  await assert.rejects(start('https://ann:secret@auth.example.org'), refusal(/must be the https address/))
  for (const [change, words] of [
    [{ issuer: 'https://evil.example' }, /at another address/],
    [{ connect_endpoint: undefined }, /no Hearth portal/],
    [{ connect_endpoint: 'https://evil.example/connect' }, /another server/],
    [{ registration_endpoint: 'http://127.0.0.1:1/' }, /another server/],
    [{ padding: 'x'.repeat(300_000) }, /more than is accepted/],
  ] as const) {
    portal.portal.alterDescription = change
    await assert.rejects(start(portal.issuer), refusal(words))
  }
  portal.portal.alterDescription = {}
  const redirecting = createServer((_, response) => {
    response.writeHead(307, { location: `${portal.issuer}/.well-known/hearth-portal` }).end()
  }).listen(0, '127.0.0.1')
  await once(redirecting, 'listening')
  const { port } = redirecting.address() as AddressInfo
  await assert.rejects(start(`http://127.0.0.1:${port}`), refusal(/no Hearth portal/))
  redirecting.close()
  await portal.stop()
  await assert.rejects(start(portal.issuer), refusal(/cannot be reached/))
})

test('without a public https address nothing can be connected, and the reason is said', async () => {
  await using portal = await startPortal()
  await using place = await openPlace()
  for (const [url, words] of [
    [undefined, /PUBLIC_URL is not set/],
    ['http://vpn.example.org', /must be an https address/],
  ] as const) {
    const connection = place.process({ publicUrl: url })
    assert.match((await connection.describe()).obstacle ?? '', words)
    await assert.rejects(connection.start(portal.issuer, ann), refusal(words))
  }
})
