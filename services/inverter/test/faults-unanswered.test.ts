import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { countersOf, readFresh, recovers, requestsFor, readinessKey, startFaulty } from './faulty-line.ts'
import { catalog, main, startGateway, type Reply, type TestGateway } from './in-process.ts'

const { preselected, periodic } = catalog.roles
/** In the middle of what a batch without names reads, so that much comes after it. */
const missing = preselected[15]!

/** A gateway to an inverter whose firmware does not have these objects. */
const startOlder = (names: readonly string[], periodicReads: boolean) =>
  startGateway({
    speed: 20,
    device: { periodic_reads: periodicReads },
    simulator: { faults: { silentFor: [...names], latencyMs: 0, frozenPlant: true } },
  })

const readAll = (gateway: TestGateway): Promise<Reply> => gateway.call('GET', main('/metrics'))
const namesOf = (parts: { name: string }[]): string[] => parts.map(({ name }) => name)

async function unansweredOf(gateway: TestGateway): Promise<string[]> {
  return (await readinessKey(gateway)).unanswered_metrics
}

/** Reads everything until it is known what the firmware does not answer. */
const learned = (gateway: TestGateway, names: readonly string[]) =>
  eventually(
    async () => {
      await readAll(gateway)
      return unansweredOf(gateway)
    },
    (found) => names.every((name) => found.includes(name)),
    { what: 'what the firmware does not answer', seconds: 30 },
  )

test('a batch with one unanswered object returns all other values', async () => {
  await using gateway = await startOlder([missing], false)
  await gateway.isReady()
  const { status, body } = await readAll(gateway)
  assert.equal(status, 200)
  assert.deepEqual(namesOf(body.errors), [missing])
  assert.equal(body.errors[0].code, 'device_timeout')
  assert.equal(body.metrics.length, preselected.length - 1)
})

test('an object that the firmware does not answer is skipped, reported, and requested again later', async () => {
  await using gateway = await startOlder([missing], false)
  await gateway.isReady()
  await learned(gateway, [missing])
  const [requests, { connection_epoch: epoch }] = [requestsFor(gateway, missing), await countersOf(gateway)]
  const { body } = await readAll(gateway)
  assert.deepEqual(namesOf(body.errors), [missing])
  assert.match(body.errors[0].detail, /firmware does not answer/)
  assert.deepEqual([requestsFor(gateway, missing), (await countersOf(gateway)).connection_epoch], [requests, epoch])
  const found = (await gateway.operate('GET', '/admin/api/diagnostics/transports')) as {
    unanswered_metrics: Record<string, { name: string }[]>
  }
  assert.deepEqual(namesOf(found.unanswered_metrics['main'] ?? []), [missing])
  const single = await readFresh(gateway, missing)
  assert.deepEqual([single.status, single.body.code, typeof single.body.retry_at], [502, 'device_timeout', 'string'])
  gateway.inverter.clearFaults()
  gateway.timers.jump(301_000)
  await recovers(gateway, missing)
  assert.deepEqual(await unansweredOf(gateway), [])
})

test('several unanswered objects are all detected, and no others are', async () => {
  const names = [preselected[3]!, preselected[4]!, preselected[20]!]
  await using gateway = await startOlder(names, false)
  await gateway.isReady()
  assert.deepEqual((await learned(gateway, names)).toSorted(), names.toSorted())
  const { body } = await readAll(gateway)
  assert.deepEqual(namesOf(body.errors), names)
})

test('with a firmware that lacks some periodic values the others are registered', async () => {
  const names = [periodic[0]!, periodic[7]!, periodic[8]!]
  await using gateway = await startOlder(names, true)
  const standing = await eventually(
    () => readinessKey(gateway),
    ({ periodic_available: available, unanswered_metrics: found }) => available === true && found.length === 3,
    { what: 'the registration', seconds: 30 },
  )
  assert.deepEqual(standing.unanswered_metrics.toSorted(), names.toSorted())
  const { periodic_registrations: count } = (await gateway.operate('GET', '/admin/api/diagnostics/transports')) as {
    periodic_registrations: Record<string, number>
  }
  assert.equal(count['main'], periodic.length - 3)
})

test('a firmware that does not report its revision can be written to', async () => {
  await using gateway = await startOlder(['svnversion', 'inverter_serial'], false)
  await gateway.allowWriting('battery_soc_target')
  const write = () => gateway.call('PUT', main('/metrics/battery_soc_target'), { value: 60 })
  await eventually(write, ({ status }) => status === 200, { what: 'a write', seconds: 30 })
})

test('a device that does not answer for a while is not reported as lacking objects', async () => {
  await using gateway = await startFaulty({ silent: true }, { speed: 20 })
  const begin = gateway.timers.monotonic()
  const { body } = await readAll(gateway)
  assert.equal(body.code, undefined)
  assert.ok(gateway.timers.monotonic() - begin < 40_000)
  for (let count = 0; count < 3; count += 1) await readFresh(gateway, preselected[count]!)
  gateway.inverter.setFaults({ silent: false })
  await recovers(gateway)
  assert.deepEqual(await unansweredOf(gateway), [])
})

test('after a firmware change skipped objects are requested again', async () => {
  await using gateway = await startOlder([missing], false)
  await gateway.isReady()
  await learned(gateway, [missing])
  gateway.inverter.setFaults({ silentFor: [], values: { svnversion: '6001' } })
  gateway.inverter.dropConnections()
  await recovers(gateway, missing)
})
