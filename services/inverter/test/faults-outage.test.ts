import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import dns from 'node:dns'
import { test } from 'node:test'
import { createFastTimers, type Log } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { startSimulator } from '../src/simulator/simulator.ts'
import { readFresh, recovers, readinessKey, startFaulty } from './faulty-line.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'

const hour = 3_600_000

/** A log that keeps the messages about devices. */
function createMemoryLog(): { log: Log; messages: string[] } {
  const messages: string[] = []
  const note = (first: unknown, second?: unknown) => {
    const message = String(second ?? first)
    if (message.includes('the device')) messages.push(message)
  }
  const quiet = () => undefined
  const log = { trace: quiet, debug: quiet, info: note, warn: note, error: note, fatal: note, child: () => log }
  return { log: log as unknown as Log, messages }
}

/** Waits until this time has passed on the gateway's clock. */
async function passes({ timers }: TestGateway, ms: number): Promise<void> {
  const end = timers.monotonic() + ms
  await eventually(
    () => timers.monotonic(),
    (now) => now >= end,
    { seconds: 60, everyMs: 20 },
  )
}

/** Counts attempts to connect from now on, those that are refused as well. */
function countAttempts(): Disposable & { count(): number } {
  let count = 0
  const note = () => {
    count += 1
  }
  const attempts = channel('net.client.socket')
  attempts.subscribe(note)
  return { count: () => count, [Symbol.dispose]: () => attempts.unsubscribe(note) }
}

const becomesUnreachable = (gateway: TestGateway) =>
  eventually(
    () => readinessKey(gateway),
    ({ state, consecutive_failures: failures }) => state === 'unreachable' && failures >= 3,
    { everyMs: 5, what: 'the state' },
  )

test('18 an inverter that accepts connections but does not answer is retried with growing delays and logged once', async () => {
  const { log, messages } = createMemoryLog()
  await using gateway = await startFaulty({ silent: true }, { speed: 3000, log })
  const { inverter } = gateway
  const { ready } = await becomesUnreachable(gateway)
  assert.equal(ready, false)
  const known = messages.length
  assert.equal(messages.at(-1), 'the device does not answer')
  const [connections, requests] = [inverter.connections, inverter.wire.length]
  await passes(gateway, 3 * hour)
  // A connection lives five seconds and the next comes up to a minute later.
  const attempts = inverter.connections - connections
  assert.ok(attempts >= 50 && attempts <= 3 * 60 + 10, `${attempts} connections`)
  assert.ok(inverter.wire.length - requests <= 2 * attempts)
  assert.equal(messages.length, known)
  inverter.setFaults({ silent: false })
  await gateway.isReady()
  assert.ok(messages.slice(known).includes('the device answers'))
})

test('19 an inverter that is unreachable for ten hours is retried once a minute and logged once', async () => {
  const { log, messages } = createMemoryLog()
  await using gateway = await startFaulty({ refuse: true }, { speed: 10_000, log })
  await becomesUnreachable(gateway)
  await passes(gateway, hour / 30)
  const known = messages.length
  assert.equal(messages.at(-1), 'the device does not answer')
  using attempts = countAttempts()
  await passes(gateway, 10 * hour)
  assert.ok(attempts.count() >= 100 && attempts.count() <= 10 * 60 + 10, `${attempts.count()} attempts`)
  assert.equal(messages.length, known)
  gateway.inverter.setFaults({ refuse: false })
  await gateway.isReady()
})

test('21 an inverter that closes every connection at once is retried with growing delays', async () => {
  await using gateway = await startFaulty({}, { speed: 6000 })
  const { inverter } = gateway
  const before = inverter.connections
  inverter.setFaults({ closeOnAccept: true })
  await passes(gateway, hour)
  const inAnHour = inverter.connections - before
  assert.ok(inAnHour >= 20 && inAnHour <= 6 + 60 + 5, `${inAnHour} connections`)
  inverter.setFaults({ closeOnAccept: false })
  await gateway.isReady()
})

test('24 a host name is resolved for every connection', async (t) => {
  const timers = createFastTimers(20)
  const simulated = { timers, catalog, faults: { frozenPlant: true } }
  await using cleanup = new AsyncDisposableStack()
  const first = await startSimulator({ ...simulated, port: 0, seed: 1, host: '127.0.0.1' })
  cleanup.defer(() => first.close())
  const second = await startSimulator({ ...simulated, port: first.port, seed: 2, host: '127.0.0.2' })
  cleanup.defer(() => second.close())
  second.registers.set('grid_frequency', 49.5)
  let address: string | undefined
  const lookup = ((name: string, _options: unknown, callback: (error: Error | null, found?: unknown) => void) => {
    if (address === undefined) callback(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }))
    else callback(null, [{ address, family: 4 }])
  }) as unknown as typeof dns.lookup
  t.mock.method(dns, 'lookup', lookup)
  const device = { host: 'inverter.example', periodic_reads: false }
  await using gateway = await startGateway({ timers, inverter: first, device })
  const { status, body } = await readFresh(gateway, 'grid_frequency')
  assert.deepEqual([status, body.code], [502, 'device_unreachable'])
  address = '127.0.0.1'
  await recovers(gateway, 'grid_frequency')
  assert.equal((await readFresh(gateway, 'grid_frequency')).body.value, 50)
  address = '127.0.0.2'
  first.dropConnections()
  await recovers(gateway, 'grid_frequency')
  assert.equal((await readFresh(gateway, 'grid_frequency')).body.value, 49.5)
  assert.equal(second.connections, 1)
})
