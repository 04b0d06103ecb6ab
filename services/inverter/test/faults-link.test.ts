import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import {
  assertCounters,
  assertRead,
  countersOf,
  isConnected,
  readFresh,
  recovers,
  requestsFor,
  rightValue,
  readinessKey,
  startFaulty,
} from './faulty-line.ts'
import { main, type TestGateway } from './in-process.ts'

const path = main('/metrics/battery_soc_target')
const others = ['battery_soc', 'grid_power', 'ac_power']

/** Starts a gateway whose inverter does not answer two objects, one of which is cached. */
async function startHalfSilent(): Promise<TestGateway> {
  const gateway = await startFaulty({}, { speed: 20 })
  await assertRead(gateway, 'battery_voltage')
  gateway.inverter.setFaults({ silentFor: ['battery_voltage', 'battery_current'] })
  return gateway
}

test('17 a read without an answer fails after five seconds and causes a reconnect', async () => {
  await using gateway = await startHalfSilent()
  const begin = gateway.timers.monotonic()
  const { status, body } = await readFresh(gateway, 'battery_current')
  const took = gateway.timers.monotonic() - begin
  assert.deepEqual([status, body.code], [502, 'device_timeout'])
  assert.ok(took >= 5000 && took < 20_000, String(took))
  assert.equal(requestsFor(gateway, 'battery_current'), 1)
  await recovers(gateway)
  await assertCounters(gateway, { connection_epoch: 2, crc_errors: 0, framing_errors: 0, discarded_bytes: 0 })
})

test('17 a read without an answer returns the cached value, marked as stale', async () => {
  await using gateway = await startHalfSilent()
  const { status, body } = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual(
    [status, body.value, body.source, body.stale, body.stale_reason, body.freshness],
    [200, rightValue(gateway, 'battery_voltage'), 'cache', true, 'device_timeout', 'cached'],
  )
  assert.ok(body.age_seconds >= 5)
})

test('17 a cached value is no longer served after two minutes', async () => {
  await using gateway = await startFaulty({}, { speed: 100 })
  await recovers(gateway, 'battery_voltage')
  const begin = gateway.timers.monotonic()
  gateway.inverter.setFaults({ silentFor: ['battery_voltage'] })
  const read = () => gateway.call('GET', main('/metrics/battery_voltage'))
  const { body } = await eventually(read, ({ status }) => status === 502, { everyMs: 20, what: 'an end' })
  assert.ok(['device_timeout', 'device_unreachable'].includes(body.code), body.code)
  assert.ok(gateway.timers.monotonic() - begin > 100_000)
})

test('17 a batch returns unanswered values as stale or as errors and reads the rest after a reconnect', async () => {
  await using gateway = await startHalfSilent()
  const names = ['battery_current', 'battery_voltage', 'grid_power']
  const { status, body } = await gateway.call('GET', main(`/metrics?names=${names.join(',')}&fresh=true`))
  assert.equal(status, 200)
  assert.deepEqual(
    body.metrics.map(({ name, source }: Record<string, string>) => [name, source]),
    [
      ['battery_voltage', 'cache'],
      ['grid_power', 'device'],
    ],
  )
  assert.deepEqual(
    body.errors.map(({ name, code }: Record<string, string>) => [name, code]),
    [['battery_current', 'device_timeout']],
  )
  assert.deepEqual(
    names.map((name) => requestsFor(gateway, name)),
    [1, 2, 1],
  )
})

test('17 a batch without any value answers device_unavailable', async () => {
  await using gateway = await startFaulty({ silent: true }, { speed: 20 })
  const { status, body } = await gateway.call('GET', main(`/metrics?names=${others.join(',')}&fresh=true`))
  assert.deepEqual([status, body.code], [502, 'device_unavailable'])
  assert.equal(body.errors.length, others.length)
})

test('20 a connection reset after any number of bytes is reopened', async () => {
  await using gateway = await startFaulty({}, { speed: 25 })
  for (let bytes = 1; bytes <= 9; bytes += 1) {
    const { connection_epoch: before } = await countersOf(gateway)
    gateway.inverter.setFaults({ resetAfterBytes: bytes })
    const { status, body } = await readFresh(gateway, 'battery_voltage')
    assert.deepEqual([status, body.code], [502, 'device_unreachable'], `${bytes} bytes`)
    gateway.inverter.setFaults({ resetAfterBytes: 0 })
    await recovers(gateway)
    const { connection_epoch: after } = await countersOf(gateway)
    assert.ok(after > before, `${before}, ${after}`)
  }
})

test('20 a write during which the connection is reset has an unknown outcome and is sent once', async () => {
  await using gateway = await startFaulty({ resetOnWrite: true }, { speed: 20 })
  await gateway.allowWriting('battery_soc_target')
  const before = requestsFor(gateway, 'battery_soc_target')
  const { status, body } = await gateway.call('PUT', path, { value: 33 })
  assert.deepEqual([status, body.code], [502, 'write_outcome_unknown'])
  assert.equal(body.readback_value, 7)
  const written = gateway.inverter.wire.filter(({ frame }) => frame?.command === 'write')
  assert.equal(written.length, 1)
  assert.ok(requestsFor(gateway, 'battery_soc_target') > before + 1)
  await assertCounters(gateway, { connection_epoch: 2 })
  gateway.inverter.setFaults({ resetOnWrite: false })
  assert.equal((await gateway.call('PUT', path, { value: 33 })).body.confirmed, true)
})

test('20 a write of which no byte was sent is retried on the next connection', async () => {
  const device = { periodic_reads: false, request_gap_ms: 5000 }
  await using gateway = await startFaulty({}, { speed: 10, device })
  await gateway.allowWriting('battery_soc_target')
  const before = requestsFor(gateway, 'battery_soc_target')
  const reply = gateway.call('PUT', path, { value: 33 })
  await eventually(
    () => requestsFor(gateway, 'battery_soc_target'),
    (count) => count > before,
    { everyMs: 1 },
  )
  // The value of before is being read; the write waits for the end of the pause after it.
  await gateway.timers.delay(500)
  gateway.inverter.dropConnections()
  const { status, body, text } = await reply
  assert.deepEqual([status, body.confirmed, body.readback_value], [200, true, 33], text)
  assert.equal(gateway.inverter.wire.filter(({ frame }) => frame?.command === 'write').length, 1)
  await assertCounters(gateway, { connection_epoch: 2 })
})

test('22 the heartbeat detects a dead connection', async () => {
  await using gateway = await startFaulty({}, { speed: 100 })
  const { connection_epoch: before } = await countersOf(gateway)
  gateway.inverter.setFaults({ notReading: true, silent: true })
  await eventually(
    () => countersOf(gateway),
    ({ connection_epoch: epoch }) => epoch > before,
    { what: 'another connection', seconds: 20 },
  )
  assert.ok((await readinessKey(gateway)).consecutive_failures > 0)
  gateway.inverter.clearFaults()
  await gateway.isReady()
  await recovers(gateway)
})

test('23 a device that accepts no bytes is disconnected', async () => {
  await using gateway = await startFaulty({ notReading: true }, { speed: 20 })
  const { status, body } = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual([status, body.code], [502, 'device_timeout'])
  gateway.inverter.setFaults({ notReading: false })
  await recovers(gateway)
  await assertCounters(gateway, { connection_epoch: 2 })
  await isConnected(gateway)
})
