import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers, createLog, createSkippingTimers, systemTimers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { isMetadataAddress } from '../../metadata-address.ts'
import { probeUpstream } from './probe-upstream.ts'
import { UpstreamStates } from './upstream-states.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function listening(where: { port: number; host: string } | { path: string }) {
  const heard = { connections: 0, bytes: 0 }
  const server = createServer((socket) => {
    heard.connections += 1
    socket.on('data', (data) => (heard.bytes += data.length))
  })
  server.listen(where)
  await once(server, 'listening')
  return {
    heard,
    server,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('Caddy’s counters and connection probes are merged per upstream', async () => {
  await using folder = await temporaryDirectory('upstream')
  const path = join(folder.path, 'app.sock')
  await using open = await listening({ port: 0, host: '127.0.0.1' })
  await using _socket = await listening({ path })
  const gone = await listening({ port: 0, host: '127.0.0.1' })
  await gone[Symbol.asyncDispose]()
  const up = `127.0.0.1:${open.port}`
  const down = `127.0.0.1:${gone.port}`
  const states = new UpstreamStates({
    declared: () =>
      Promise.resolve([
        { address: up, siteIds: [1, 2] },
        { address: down, siteIds: [3] },
        { address: `unix/${path}`, siteIds: [4] },
        { address: '169.254.169.254:80', siteIds: [5] },
      ]),
    counted: () => Promise.resolve([{ address: up, num_requests: 3, fails: 1 }]),
    timers: systemTimers,
    log,
  })
  const [lists] = await Promise.all([states.list(), states.list()])
  const of = (address: string) => lists.find((state) => state.address === address)!
  assert.deepEqual([of(up).up, of(up).site_ids, of(up).fails, of(up).num_requests], [true, [1, 2], 1, 3])
  assert.ok(of(up).latency_ms! >= 0)
  assert.deepEqual([of(down).up, of(down).reason, of(down).fails], [false, 'ECONNREFUSED', null])
  assert.equal(of(`unix/${path}`).up, true)
  assert.deepEqual([of('169.254.169.254:80').up, of('169.254.169.254:80').reason], [null, null])
  assert.deepEqual(await states.counts(), { up: 2, down: 1 })
  await states.list()
  assert.deepEqual(open.heard, { connections: 1, bytes: 0 })
})

test('upstreams are still probed when Caddy’s counters are unavailable', async () => {
  await using open = await listening({ port: 0, host: '127.0.0.1' })
  const states = new UpstreamStates({
    declared: () => Promise.resolve([{ address: `localhost:${open.port}`, siteIds: [1] }]),
    counted: () => Promise.reject(new Error('no admin endpoint')),
    timers: systemTimers,
    log,
  })
  const [state] = await states.list()
  assert.deepEqual([state?.up, state?.fails], [true, null])
})

test('metadata addresses are never connected to, in any notation', async () => {
  for (const address of ['169.254.169.254', '169.254.0.1', 'fd00:ec2::254', '::ffff:169.254.169.254'])
    assert.ok(isMetadataAddress(address), address)
  assert.ok(!isMetadataAddress('127.0.0.1'))
  assert.deepEqual(await probeUpstream('[fd00:ec2::254]:80', 1000), { kind: 'refused' })
  for (const wrong of ['', 'a', 'a:0', 'a:70000', 'a b:1', 'http://a:1', ':80'])
    assert.deepEqual(await probeUpstream(wrong, 1000), { kind: 'down', reason: 'this is no address' }, wrong)
})

test('the counts follow an upstream’s state even when nobody requests the list', async () => {
  const open = await listening({ port: 0, host: '127.0.0.1' })
  const timers = createFastTimers(1000)
  const declared = () => Promise.resolve([{ address: `127.0.0.1:${open.port}`, siteIds: [1] }])
  const states = new UpstreamStates({ declared, counted: () => Promise.resolve([]), timers, log })
  states.start()
  assert.deepEqual(await states.counts(), { up: 1, down: 0 })
  await open[Symbol.asyncDispose]()
  await eventually(
    () => states.counts(),
    (counts) => counts?.down === 1,
  )
  await states.close()
})

test('a regular check of many upstreams takes its time, and nobody has to wait for it', async () => {
  await using open = await listening({ port: 0, host: '127.0.0.1' })
  const timers = createSkippingTimers()
  const ends: number[] = []
  const states = new UpstreamStates({
    declared: () =>
      Promise.resolve(
        Array.from({ length: 160 }, (_, index) => ({ address: `127.0.0.1:${open.port}`, siteIds: [index] })),
      ),
    counted: () => Promise.resolve([]),
    timers,
    log,
    onChecked: () => Promise.resolve(void ends.push(timers.monotonic())),
  })
  states.start()
  await eventually(
    () => ends.length,
    (count) => count >= 2,
  )
  // The first at once; then sixteen at a time, and nine waits of 160 ms between them.
  assert.equal(ends[0], 0)
  assert.ok(ends[1]! >= 30_000 + 9 * 160, String(ends))
  states.outdate()
  assert.equal((await states.list()).length, 160)
  await states.close()
})
