import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { escapedBytes } from '../src/protocol/frame.ts'
import { assertCounters, countersOf, requestsFor, rightValue, readinessKey, type Standing } from './faulty-line.ts'
import { catalog, main, startGateway, type Starting, type TestGateway } from './in-process.ts'

const registered = catalog.roles.periodic
const periodObject = catalog.byName('pas_period')!.objectId

/** A gateway with periodic reads. */
const startPeriodic = (starting: Starting = {}) =>
  startGateway({ speed: 25, ...starting, simulator: { faults: { latencyMs: 0, ...starting.simulator?.faults } } })

const stands = (gateway: TestGateway, isGood: (standing: Standing) => boolean, what: string, seconds = 20) =>
  eventually(() => readinessKey(gateway), isGood, { what, seconds, everyMs: 10 })

const isRegistered = (gateway: TestGateway) =>
  stands(gateway, (standing) => standing.periodic_available === true, 'the registration')

async function periodicOf(gateway: TestGateway): Promise<{ registrations: number; lastFailure: string | null }> {
  const found = (await gateway.operate('GET', '/admin/api/diagnostics/transports')) as {
    periodic_registrations: Record<string, number>
    periodic_last_failure: Record<string, string | null>
  }
  return {
    registrations: found.periodic_registrations['main'] ?? -1,
    lastFailure: found.periodic_last_failure['main'] ?? null,
  }
}

/** Times at which the period was written, monotonic milliseconds. */
const roundsOf = ({ inverter }: TestGateway): number[] =>
  inverter.wire.filter(({ frame }) => frame?.command === 'write' && frame.objectId === periodObject).map(({ at }) => at)

const registrationsOf = ({ inverter }: TestGateway): number =>
  inverter.wire.filter(({ frame }) => frame?.command === 'read-periodically').length

test('all periodic values are registered one by one and arrive without read requests', async () => {
  await using gateway = await startPeriodic()
  const { periodic_setup_failures: failures } = await isRegistered(gateway)
  assert.equal(failures, 0)
  assert.deepEqual(await periodicOf(gateway), { registrations: registered.length, lastFailure: null })
  const before = requestsFor(gateway, 'battery_soc')
  gateway.inverter.setFaults({ values: { battery_soc: 0.25 } })
  const ask = () => gateway.call('GET', main('/metrics/battery_soc'))
  const { body } = await eventually(ask, (reply) => reply.body.value === 0.25, { everyMs: 10 })
  assert.deepEqual([body.source, body.stale], ['cache', false])
  assert.equal(requestsFor(gateway, 'battery_soc'), before)
  await assertCounters(gateway, { unexpected_frames: 0, crc_errors: 0, framing_errors: 0, connection_epoch: 1 })
})

test('29 an inverter without periodic reading keeps its connection, and its values are read on request', async () => {
  await using gateway = await startPeriodic({ simulator: { faults: { ignorePeriodic: true, frozenPlant: true } } })
  const { periodic_available: isAvailable } = await stands(
    gateway,
    (standing) => standing.periodic_setup_failures >= 2,
    'two failures',
  )
  assert.equal(isAvailable, false)
  const { registrations, lastFailure } = await periodicOf(gateway)
  assert.deepEqual([registrations, typeof lastFailure], [0, 'string'])
  await gateway.isReady()
  const { status, body } = await gateway.call('GET', main('/metrics/battery_soc?fresh=true'))
  assert.deepEqual([status, body.value, body.source], [200, rightValue(gateway, 'battery_soc'), 'device'])
  await assertCounters(gateway, { connection_epoch: 1 })
  gateway.inverter.setFaults({ ignorePeriodic: false })
  const { periodic_setup_failures: left } = await isRegistered(gateway)
  assert.equal(left, 0)
})

test('29 a failing registration is retried after 10, 20, 40, 80 and 160 seconds', async () => {
  await using gateway = await startPeriodic({ speed: 100, simulator: { faults: { ignorePeriodWrite: true } } })
  await eventually(
    () => roundsOf(gateway).length,
    (rounds) => rounds >= 6,
    { seconds: 30, everyMs: 20, what: 'six rounds' },
  )
  const rounds = roundsOf(gateway)
  const pauses = rounds.slice(1, 6).map((at, index) => (at - rounds[index]!) / 1000)
  // A round takes three to four seconds until it gives up, and time is coarse here.
  for (const [index, least] of [10, 20, 40, 80, 160].entries()) {
    const pause = pauses[index]!
    assert.ok(pause >= least && pause <= least + 40, pauses.join(', '))
  }
  const { lastFailure } = await periodicOf(gateway)
  assert.match(lastFailure ?? '', /period/)
  const standing = await readinessKey(gateway)
  assert.deepEqual([standing.periodic_available, standing.periodic_setup_failures >= 5], [false, true])
})

test('30 values that stop arriving are read on request and registered again', async () => {
  await using gateway = await startPeriodic({ speed: 50 })
  await isRegistered(gateway)
  const [before, reads] = [roundsOf(gateway).length, requestsFor(gateway, 'battery_soc')]
  gateway.inverter.setFaults({ periodicStops: true, frozenPlant: true, values: { battery_soc: 0.125 } })
  const ask = () => gateway.call('GET', main('/metrics/battery_soc'))
  await eventually(ask, ({ body }) => body.value === 0.125, { what: 'the value by reading', everyMs: 10 })
  await eventually(
    () => roundsOf(gateway).length,
    (rounds) => rounds > before,
    { what: 'another round' },
  )
  assert.ok(requestsFor(gateway, 'battery_soc') > reads)
  await isRegistered(gateway)
})

test('31 a connection lost during the registration restarts it from the beginning', async () => {
  await using gateway = await startPeriodic({ simulator: { faults: { dropAtRegistration: 20 } } })
  const { periodic_available: isAvailable } = await stands(
    gateway,
    (standing) => standing.periodic_setup_failures >= 2,
    'two failures',
  )
  assert.equal(isAvailable, false)
  gateway.inverter.setFaults({ dropAtRegistration: 0 })
  const before = registrationsOf(gateway)
  await isRegistered(gateway)
  assert.ok(registrationsOf(gateway) - before >= registered.length)
  assert.equal((await periodicOf(gateway)).registrations, registered.length)
  assert.ok((await countersOf(gateway)).connection_epoch >= 3)
})

test('31 values are registered again on every new connection', async () => {
  await using gateway = await startPeriodic()
  await isRegistered(gateway)
  const before = registrationsOf(gateway)
  gateway.inverter.dropConnections()
  await stands(gateway, (standing) => standing.periodic_available === false, 'the loss')
  await isRegistered(gateway)
  assert.equal(registrationsOf(gateway) - before, registered.length)
})

test('32 writing the period registers the values again', async () => {
  await using gateway = await startPeriodic()
  await gateway.allowWriting('pas_period')
  await isRegistered(gateway)
  for (const value of [0, 120]) {
    const before = registrationsOf(gateway)
    const { status, body } = await gateway.call('PUT', main('/metrics/pas_period'), { value })
    assert.deepEqual([status, body.readback_value], [200, value])
    await eventually(
      () => registrationsOf(gateway) - before,
      (count) => count >= registered.length,
      { what: 'all registrations' },
    )
    await isRegistered(gateway)
    assert.equal(gateway.inverter.registers.get('pas_period'), 30)
  }
})

test('with periodic values at most one request is open, and the pause between requests is kept', async () => {
  const gap = 400
  const device = { request_gap_ms: gap }
  await using gateway = await startPeriodic({ speed: 20, device, simulator: { faults: { latencyMs: 20 } } })
  const names = ['solar_a_voltage', 'com_service', 'battery_soc_target', 'inverter_serial', 'svnversion']
  const asking = Array.from({ length: 20 }, (_, index) =>
    gateway.call('GET', main(`/metrics/${names[index % names.length]}?fresh=true`)),
  )
  for (const { status, text } of await Promise.all(asking)) assert.equal(status, 200, text)
  await isRegistered(gateway)
  assert.equal(gateway.inverter.maxOpenReads, 1)
  const { wire } = gateway.inverter
  const sent = wire.filter(({ direction }) => direction === 'in')
  assert.ok(sent.length > registered.length + names.length)
  for (const [index, { at }] of sent.slice(1).entries()) {
    const before = sent[index]!
    // A write ends when its bytes are sent, which may be before they arrive here.
    if (before.frame === undefined || before.frame.command === 'write') continue
    // The rest is clock tolerance.
    assert.ok(at - before.at >= gap - 25, `${at - before.at} ms`)
    const id = Buffer.alloc(4)
    id.writeUInt32BE(before.frame.objectId)
    const between = wire.slice(wire.indexOf(before), wire.indexOf(sent[index + 1]!))
    const answer = Buffer.from(escapedBytes(id)).toString('hex')
    assert.ok(between.some(({ direction, bytes }) => direction === 'out' && bytes.includes(answer)))
  }
})
