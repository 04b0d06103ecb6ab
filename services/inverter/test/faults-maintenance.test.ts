import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { dispatchOf, ownSettings, registersOf, start, startWithBattery, writesOf } from './battery.ts'
import {
  assertCounters,
  countersOf,
  readFresh,
  recovers,
  requestsFor,
  rightValue,
  readinessKey,
  startFaulty,
} from './faulty-line.ts'
import { main, type TestGateway } from './in-process.ts'

const announcement = '50f705ab'
const bytes = (hex: string) => Buffer.from(hex, 'hex')
const cooldown = 300_000

const isInMaintenance = (gateway: TestGateway) =>
  eventually(
    () => readinessKey(gateway),
    ({ state }) => state === 'maintenance',
    { what: 'maintenance', everyMs: 5 },
  )

const framesReceived = ({ inverter }: TestGateway): number =>
  inverter.wire.filter(({ direction }) => direction === 'in').length

async function assertRefused(gateway: TestGateway, path: string): Promise<void> {
  const { status, body, headers } = await gateway.call('GET', path)
  assert.deepEqual([status, body.code], [503, 'device_maintenance'])
  const after = Number(headers['retry-after'])
  assert.ok(after > 0 && after <= cooldown / 1000, `retry after ${after}`)
}

test('25 while the bootloader runs nothing is sent, and refused requests say when to retry', async () => {
  await using gateway = await startFaulty({}, { speed: 60 })
  await recovers(gateway, 'battery_voltage')
  gateway.inverter.setFaults({ bootloader: true })
  await isInMaintenance(gateway)
  const before = framesReceived(gateway)
  await assertRefused(gateway, main('/metrics/battery_current?fresh=true'))
  await assertRefused(gateway, main('/metrics?names=battery_current,grid_power&fresh=true'))
  const old = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual(
    [old.status, old.body.value, old.body.stale, old.body.stale_reason],
    [200, rightValue(gateway, 'battery_voltage'), true, 'device_maintenance'],
  )
  const readiness = await gateway.call('GET', '/api/v1/readiness')
  assert.deepEqual([readiness.status, readiness.body.code], [503, 'not_ready'])
  await gateway.timers.delay(60_000)
  assert.equal(framesReceived(gateway), before)
  const { transports } = (await gateway.operate('GET', '/admin/api/diagnostics/transports')) as {
    transports: { locked: boolean; lock_reason: string | null }[]
  }
  assert.deepEqual([transports[0]?.locked, transports[0]?.lock_reason], [true, 'bootloader'])
})

test('25 writes are refused while the bootloader runs', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  await gateway.allowWriting('battery_soc_target', 'com_service')
  gateway.inverter.setFaults({ bootloader: true })
  await isInMaintenance(gateway)
  const before = framesReceived(gateway)
  for (const [method, path] of [
    ['PUT', main('/metrics/battery_soc_target')],
    ['POST', main('/actions/com_service')],
  ] as const) {
    const { status, body, headers } = await gateway.call(method, path, { value: 5 })
    assert.deepEqual([status, body.code], [503, 'device_maintenance'])
    assert.ok(Number(headers['retry-after']) > 0)
  }
  assert.equal(framesReceived(gateway), before)
})

test('25 a bootloader announcement is recognised however it is split or repeated', async () => {
  for (const chunks of [['50', 'f705ab'], ['50f7', '05ab'], ['50f705', 'ab'], [announcement.repeat(25_600)]]) {
    await using gateway = await startFaulty({}, { speed: 20 })
    for (const part of chunks) {
      gateway.inverter.sendRaw(bytes(part))
      await gateway.timers.delay(40)
    }
    await isInMaintenance(gateway)
    await assertCounters(gateway, { crc_errors: 0, framing_errors: 0, connection_epoch: 1 })
  }
})

test('25 a pending request fails with maintenance when the bootloader starts', async () => {
  await using gateway = await startFaulty({ silentFor: ['battery_voltage'] }, { speed: 20 })
  const open = readFresh(gateway, 'battery_voltage')
  await eventually(
    () => requestsFor(gateway, 'battery_voltage'),
    (count) => count === 1,
    { everyMs: 1 },
  )
  gateway.inverter.sendRaw(bytes(announcement))
  const { status, body } = await open
  assert.deepEqual([status, body.code], [503, 'device_maintenance'])
})

test('26 the bytes of an announcement inside a value are read as the value', async () => {
  await using gateway = await startFaulty({ payloads: { battery_voltage: announcement } })
  const { status, body } = await readFresh(gateway, 'battery_voltage')
  assert.deepEqual([status, body.value], [200, bytes(announcement).readFloatBE()])
  assert.deepEqual((await readinessKey(gateway)).state, 'ok')
  await assertCounters(gateway, { discarded_bytes: 0, crc_errors: 0, framing_errors: 0 })
})

test('27 one request is sent after each cool-down; an answer ends the maintenance', async () => {
  await using gateway = await startFaulty({}, { speed: 400 })
  gateway.inverter.setFaults({ bootloader: true })
  await isInMaintenance(gateway)
  const [begin, before] = [gateway.timers.monotonic(), framesReceived(gateway)]
  const heartbeats = requestsFor(gateway, 'inverter_state')
  const questions = () => framesReceived(gateway) - before
  await eventually(questions, (count) => count >= 3, { seconds: 30, everyMs: 2, what: 'three questions' })
  // The state of the maintenance was seen a little late.
  assert.ok(gateway.timers.monotonic() - begin >= 2.5 * cooldown)
  assert.equal((await readinessKey(gateway)).state, 'maintenance')
  assert.equal(requestsFor(gateway, 'inverter_state') - heartbeats, questions())
  gateway.inverter.setFaults({ bootloader: false })
  await gateway.isReady()
  await recovers(gateway)
  assert.ok(gateway.timers.monotonic() - begin >= 3.5 * cooldown)
  assert.equal((await countersOf(gateway)).state, 'connected')
})

test('28 while the bootloader runs a dispatch writes nothing; the settings are restored afterwards', async () => {
  await using gateway = await startWithBattery({ speed: 200, device: { periodic_reads: false } })
  // At this pace a start may well be given up for an answer that came a few milliseconds too late.
  const begin = () => start(gateway, 'charge_from_grid')
  await eventually(begin, ({ status }) => status < 300, { what: 'a start' })
  gateway.inverter.setFaults({ bootloader: true })
  await isInMaintenance(gateway)
  const written = writesOf(gateway.inverter).length
  await gateway.timers.delay(cooldown / 2)
  assert.equal(writesOf(gateway.inverter).length, written)
  assert.notEqual((await dispatchOf(gateway)).state, 'idle')
  gateway.inverter.setFaults({ bootloader: false })
  await eventually(
    () => dispatchOf(gateway),
    ({ state }) => state === 'idle',
    { what: 'an end', seconds: 30 },
  )
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})
