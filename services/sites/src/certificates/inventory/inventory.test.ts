import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { createManualClock, systemTimers } from '@hearth/runtime'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { startTlsServer } from '../../../test/tls-server.ts'
import type { NodeEndpoint, SiteHost } from '../site-host.ts'
import type { HostCertificate } from './certificate-state.ts'
import { Inventory } from './inventory.ts'

const day = 86_400_000
const authority = createTestAuthority()

function inventoryOf(sites: readonly SiteHost[], endpoint: NodeEndpoint | undefined, handshakeMs = 5000) {
  const clock = createManualClock(Date.now())
  const changes: [HostCertificate, HostCertificate][] = []
  const asked = { times: 0, endpoint }
  const hosts = {
    list: () => Promise.resolve(sites),
    endpoint: () => {
      asked.times += 1
      return Promise.resolve(asked.endpoint)
    },
  }
  const onChange = (now: HostCertificate, before: HostCertificate) => void changes.push([now, before])
  const timers = { ...systemTimers, ...clock }
  const inventory = new Inventory({ hosts, timers, roots: [authority.root], handshakeMs, onChange })
  return { inventory, clock, changes, asked }
}

const site = (host: string, more: Partial<SiteHost> = {}): SiteHost => ({
  siteId: 1,
  host,
  tlsMode: 'internal',
  changedAt: 0,
  mayBeScanned: false,
  ...more,
})

const stateWith = async (
  names: readonly string[],
  times: { notBefore?: number; notAfter?: number },
  asked: SiteHost,
) => {
  await using server = await startTlsServer({ certificate: authority.issue({ names, ...times }) })
  const { inventory } = inventoryOf([asked], server.endpoint)
  const [found] = await inventory.list()
  return { found: found!, counts: inventory.counts() }
}

test('the inventory reports the certificate that visitors see', async () => {
  const { found, counts } = await stateWith(['a.example', 'b.example'], {}, site('b.example'))
  assert.deepEqual([found.state, found.message, found.certificate?.isTrusted], ['valid', null, true])
  assert.deepEqual(found.certificate?.names, ['a.example', 'b.example'])
  assert.match(found.certificate.fingerprint, /^[0-9a-f]{64}$/)
  assert.match(found.certificate.serial, /^[0-9a-f]{32}$/)
  assert.deepEqual(counts, { valid: 1, expired: 0, expiringSoon: 0 })
})

test('expiry is reported as soon, past, or relative to a short lifetime', async () => {
  const now = Date.now()
  const soon = await stateWith(
    ['a.example'],
    { notBefore: now - 83 * day, notAfter: now + 6.9 * day },
    site('a.example'),
  )
  assert.deepEqual([soon.found.state, soon.counts], ['expiring', { valid: 1, expired: 0, expiringSoon: 1 }])
  const past = await stateWith(['a.example'], { notBefore: now - day, notAfter: now - 5000 }, site('a.example'))
  assert.deepEqual([past.found.state, past.counts?.expired], ['expired', 1])
  const short = await stateWith(['a.example'], { notBefore: now - 1000, notAfter: now + day / 2 }, site('a.example'))
  assert.equal(short.found.state, 'valid')
})

test('a certificate for another name counts as missing, or as pending right after a change', async () => {
  const old = await stateWith(['a.example'], {}, site('b.example'))
  assert.deepEqual([old.found.state, old.found.message], ['missing', 'The server shows a certificate for a.example'])
  const fresh = await stateWith(['a.example'], {}, site('b.example', { changedAt: Date.now() }))
  assert.equal(fresh.found.state, 'pending')
})

test('a server that does not answer is an error, and hosts without TLS are omitted', async () => {
  const server = await startTlsServer({ certificate: authority.issue({ names: ['a.example'] }) })
  await server[Symbol.asyncDispose]()
  const { inventory } = inventoryOf([site('a.example'), site('plain.example', { tlsMode: 'off' })], server.endpoint)
  const found = await inventory.list()
  assert.deepEqual(
    found.map(({ host, state }) => [host, state]),
    [['a.example', 'error']],
  )
  const none = await inventoryOf([site('a.example')], undefined).inventory.list()
  assert.match(none[0]!.message!, /no server is set up/)
})

test('a check is reused for ten minutes unless the running configuration changed', async () => {
  await using server = await startTlsServer({ certificate: authority.issue({ names: ['a.example'] }) })
  const { inventory, clock, asked } = inventoryOf([site('a.example')], server.endpoint)
  assert.equal(inventory.counts(), undefined)
  await Promise.all([inventory.list(), inventory.list()])
  assert.equal(asked.times, 1)
  clock.advance(599_999)
  await inventory.list()
  assert.equal(asked.times, 1)
  clock.advance(1)
  await inventory.list()
  assert.equal(asked.times, 2)
  inventory.outdate()
  await inventory.list()
  assert.equal(asked.times, 3)
})

test('a renewed certificate and a change of state are reported', async () => {
  await using first = await startTlsServer({ certificate: authority.issue({ names: ['a.example'] }) })
  await using second = await startTlsServer({ certificate: authority.issue({ names: ['a.example'] }) })
  const { inventory, changes, asked } = inventoryOf([site('a.example')], first.endpoint)
  await inventory.refresh()
  await inventory.refresh([1])
  assert.equal(changes.length, 0)
  asked.endpoint = second.endpoint
  await inventory.refresh([1])
  assert.deepEqual(
    changes.map(([now, before]) => [now.state, now.certificate?.fingerprint === before.certificate?.fingerprint]),
    [['valid', false]],
  )
})

test('an unresponsive server is not probed for each of its hosts', async () => {
  let connections = 0
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const sites = Array.from({ length: 500 }, (_, number) => site(`host-${number}.example`))
  const { inventory } = inventoryOf(sites, { address: '127.0.0.1', httpPort: port, httpsPort: port }, 300)
  const found = await inventory.list()
  assert.deepEqual([found.length, [...new Set(found.map(({ state }) => state))]], [500, ['error']])
  assert.ok(connections < 50, `${connections} connections`)
  for (const socket of sockets) socket.destroy()
  silent.close()
  await once(silent, 'close')
})
