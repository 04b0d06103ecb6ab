import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createGuardedFetch, createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { startSslLabsServer, type SslLabsServer } from '../../../test/ssl-labs-server/ssl-labs-server.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import type { ScanRow } from '../tables.ts'
import { createRegistration } from './registration.ts'
import { Scans, ScanTooSoon } from './scans.ts'
import { createSslLabsClient, SslLabsError, type SslLabsIdentity } from './ssl-labs-client.ts'
import { putScan } from './store.ts'

const email = 'it@example.org'
const identity: SslLabsIdentity = { first_name: 'Ada', last_name: 'L', email, organization: 'House' }

async function openLine(server: SslLabsServer) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const fetch = createGuardedFetch(createOutboundPolicy(createOutboundAllow(['127.0.0.1'])))
  const client = createSslLabsClient({ fetch, baseUrl: server.url })
  const timers = createSkippingTimers()
  const states: string[] = []
  const grades: unknown[] = []
  const scans = new Scans({
    db: database.query,
    client,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    email: () => email,
    onState: (scan) => void states.push(`${scan.host} ${scan.state}`),
    onGrade: (result) => {
      grades.push(result)
      return Promise.resolve()
    },
  })
  const settled = (host: string, isGood: (scan: ScanRow) => boolean = (scan) => scan.finished_at !== null) =>
    eventually(async () => (await scans.list()).find((scan) => scan.host === host)!, isGood, {
      everyMs: 5,
      seconds: 120,
    })
  return {
    db: database.query,
    client,
    timers,
    scans,
    states,
    grades,
    settled,
    async [Symbol.asyncDispose]() {
      await scans.close()
      await database.close()
    },
  }
}

test('a scan is started once, polled until it finishes, and never published', async () => {
  await using server = await startSslLabsServer()
  server.registered.add(email)
  await using line = await openLine(server)
  await line.scans.request({ host: 'a.example', siteId: 1, isFresh: true })
  const scan = await line.settled('a.example')
  assert.deepEqual([scan.state, scan.grade, scan.message], ['ready', 'A', null])
  assert.deepEqual(line.grades, [{ host: 'a.example', siteId: 1, grade: 'A', gradeTrustIgnored: 'A' }])
  assert.deepEqual(
    [...new Set(line.states)],
    ['queued', 'starting', 'dns', 'in_progress', 'ready'].map((state) => `a.example ${state}`),
  )
  assert.deepEqual(
    server.asked.map((query) => query.get('startNew')),
    ['on', null, null, null],
  )
  assert.ok(server.asked.every((query) => query.get('publish') === 'off'))
})

test('hosts are scanned one at a time; a host can be scanned again after five minutes', async () => {
  await using server = await startSslLabsServer()
  server.registered.add(email)
  await using line = await openLine(server)
  await line.scans.request({ host: 'a.example', siteId: 1, isFresh: true })
  await line.scans.request({ host: 'b.example', siteId: 2, isFresh: true })
  assert.equal((await line.scans.request({ host: 'b.example', siteId: 2, isFresh: true })).state, 'queued')
  await line.settled('b.example')
  const order = line.states.filter((state) => /starting|ready/.test(state))
  assert.deepEqual(order, ['a.example starting', 'a.example ready', 'b.example starting', 'b.example ready'])
  await assert.rejects(line.scans.request({ host: 'a.example', siteId: 1, isFresh: true }), (error) => {
    assert.ok(error instanceof ScanTooSoon && error.seconds > 0 && error.seconds <= 300)
    return true
  })
  // What is stored may be asked for at any time.
  await line.scans.request({ host: 'a.example', siteId: 1, isFresh: false })
  await line.settled('a.example')
  assert.equal(server.asked.at(-1)?.get('fromCache'), 'on')
  line.timers.jump(300_000)
  assert.equal((await line.scans.request({ host: 'a.example', siteId: 1, isFresh: true })).state, 'queued')
})

test('after 429 and 529 the client waits and continues the same scan', async () => {
  await using server = await startSslLabsServer()
  server.registered.add(email)
  await using line = await openLine(server)
  const begun = line.timers.monotonic()
  // The room is asked for first, then the scan.
  server.failNext(429, 529)
  await line.scans.request({ host: 'a.example', siteId: 1, isFresh: true })
  const scan = await line.settled('a.example')
  assert.equal(scan.state, 'ready')
  assert.ok(line.timers.monotonic() - begun >= (15 + 60) * 60_000)
  assert.equal(line.states.filter((state) => state.endsWith('rate_limited')).length, 2)
})

test('a scan fails with a reason: unregistered address, assessment error, two-hour timeout', async () => {
  await using server = await startSslLabsServer()
  await using line = await openLine(server)
  await line.scans.request({ host: 'a.example', siteId: 1, isFresh: true })
  assert.deepEqual((await line.settled('a.example')).message, 'The e-mail address is not registered with SSL Labs')
  server.registered.add(email)
  server.results.set('b.example', { status: 'ERROR', statusMessage: 'Unable to resolve domain name' })
  await line.scans.request({ host: 'b.example', siteId: 1, isFresh: false })
  const broken = await line.settled('b.example')
  assert.deepEqual([broken.state, broken.message], ['error', 'Unable to resolve domain name'])
  server.endless.add('c.example')
  await line.scans.request({ host: 'c.example', siteId: 1, isFresh: false })
  const late = await line.settled('c.example')
  assert.deepEqual([late.state, late.message], ['failed', 'The scan took more than two hours'])
  assert.deepEqual(line.grades, [])
})

test('a scan interrupted by a stop is polled after the start, not restarted', async () => {
  await using server = await startSslLabsServer()
  server.registered.add(email)
  await using line = await openLine(server)
  await putScan(line.db, {
    host: 'a.example',
    site_id: 1,
    state: 'in_progress',
    is_fresh: 1,
    requested_at: 1,
    started_at: 1,
    last_fresh_at: 1,
    finished_at: null,
    grade: null,
    message: null,
  })
  await line.scans.start()
  assert.equal((await line.settled('a.example')).state, 'ready')
  assert.ok(server.asked.every((query) => query.get('startNew') === null))
})

test('registration needs an e-mail address, confirms free mail providers and reports refusals', async () => {
  await using server = await startSslLabsServer()
  await using line = await openLine(server)
  const kept: { identity: SslLabsIdentity | null } = { identity: null }
  const registration = createRegistration({
    db: line.db,
    client: line.client,
    settings: {
      current: () => ({ ssllabs: kept.identity }),
      change: ({ ssllabs }) => {
        kept.identity = ssllabs
        return Promise.resolve()
      },
    },
  })
  await assert.rejects(registration.register(undefined, false), {
    status: 400,
    body: { detail: 'No e-mail address is set to register with', code: 'no_email' },
  })
  const free = { ...identity, email: 'ada@gmail.com' }
  await assert.rejects(registration.register(free, false), {
    status: 409,
    message: /^SSL Labs registers addresses of organisations/,
  })
  await assert.rejects(registration.register(free, true), (error) => {
    assert.ok(error instanceof SslLabsError)
    assert.deepEqual([error.failure, error.message], ['refused', 'Free e-mail is not allowed'])
    return true
  })
  assert.deepEqual([kept.identity, (await registration.status()).is_registered], [null, null])
  assert.deepEqual(await registration.register(identity, false), {
    masked_email: 'i***@example.org',
    is_registered: true,
    message: 'User successfully registered',
  })
  assert.deepEqual(kept.identity, identity)
  server.registered.clear()
  const refreshed = await registration.refresh()
  assert.deepEqual([refreshed.is_registered, refreshed.masked_email], [false, 'i***@example.org'])
  server.failNext(503)
  assert.equal((await registration.refresh()).is_registered, null)
  assert.ok(!JSON.stringify(refreshed).includes(email))
})
