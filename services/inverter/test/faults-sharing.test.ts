import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { startSimulator } from '../src/simulator/simulator.ts'
import {
  assertRead,
  countersOf,
  readFresh,
  recovers,
  requestsFor,
  rightValue,
  readinessKey,
  startFaulty,
} from './faulty-line.ts'
import { catalog, main, startGateway, type Reply, type TestGateway } from './in-process.ts'

const { preselected } = catalog.roles
const slave = '/api/v1/devices/slave/metrics'

/** A plant of two inverters behind one endpoint, both known to the gateway. */
async function startPlant(): Promise<TestGateway> {
  const gateway = await startFaulty(
    {},
    { speed: 20, simulator: { slaves: [{ networkId: 7, name: 'second', serial: 'SIM000000007' }] } },
  )
  const { port } = gateway.inverter
  const device = { device_id: 'slave', host: '127.0.0.1', port, network_id: 7, periodic_reads: false }
  await gateway.operate('POST', '/admin/api/devices', device)
  await gateway.isReady()
  return gateway
}

test('13 an answer from another inverter of the plant is ignored', async () => {
  await using gateway = await startPlant()
  const [own, other] = await Promise.all([
    readFresh(gateway, 'grid_frequency'),
    gateway.call('GET', `${slave}/battery_voltage?fresh=true`),
  ])
  assert.deepEqual([own.status, other.status], [200, 200], `${own.text} ${other.text}`)
  assert.equal(own.body.value, rightValue(gateway, 'grid_frequency'))
  const { unexpected_frames: before } = await countersOf(gateway)
  gateway.inverter.setFaults({ wrongAddress: true })
  const { status, body } = await gateway.call('GET', `${slave}/battery_current?fresh=true`)
  assert.deepEqual([status, body.code], [502, 'device_timeout'])
  assert.ok((await countersOf(gateway)).unexpected_frames > before)
  gateway.inverter.setFaults({ wrongAddress: false })
  await recovers(gateway)
})

test('13 an answer without an address is not taken for one from another inverter of the plant', async () => {
  await using gateway = await startPlant()
  gateway.inverter.setFaults({ plainForPlant: true })
  const { unexpected_frames: before } = await countersOf(gateway)
  const { status, body } = await gateway.call('GET', `${slave}/battery_voltage?fresh=true`)
  assert.deepEqual([status, body.code], [502, 'device_timeout'])
  assert.ok((await countersOf(gateway)).unexpected_frames > before)
  await recovers(gateway)
  await assertRead(gateway, 'battery_voltage')
})

test('48 200 concurrent batches of all preselected metrics read each metric from the inverter once', async () => {
  await using gateway = await startFaulty({ latencyMs: 20 }, { speed: 4 })
  const before = new Map(preselected.map((name) => [name, requestsFor(gateway, name)]))
  const asking = Array.from({ length: 200 }, () => gateway.call('GET', main('/metrics')))
  const wanted = preselected.map((name) => [name, rightValue(gateway, name)])
  for (const { status, body } of await Promise.all(asking)) {
    assert.equal(status, 200)
    assert.deepEqual(
      body.metrics.map(({ name, value }: Reply['body']) => [name, value]),
      wanted,
    )
  }
  for (const [name, count] of before)
    assert.ok(requestsFor(gateway, name) - count <= 1 || name === 'inverter_state', `${name} was asked for twice`)
  assert.equal(gateway.inverter.maxOpenReads, 1)
})

test('48 200 concurrent requests for forty metrics read each once; requests beyond the queue get 503', async () => {
  await using gateway = await startFaulty({ latencyMs: 100 }, { speed: 10 })
  const known = await readFresh(gateway, 'battery_soc_target')
  assert.equal(known.status, 200)
  const names = catalog.objects
    .filter(({ type, scale, name }) => type === 'float' && scale === 1 && requestsFor(gateway, name) === 0)
    .slice(0, 40)
    .map(({ name }) => name)
  const asking = Array.from({ length: 200 }, (_, index) =>
    gateway.call('GET', main(`/metrics/${names[index % names.length]}`)),
  )
  await eventually(
    () => readinessKey(gateway),
    ({ queue_length: length }) => length > 20,
    { everyMs: 1, what: 'a long queue' },
  )
  const cached = await gateway.call('GET', main('/metrics/battery_soc_target'))
  const { queue_length: waiting } = await readinessKey(gateway)
  assert.deepEqual([cached.status, cached.body.source, waiting > 10 && waiting <= 32], [200, 'cache', true])
  const replies = await Promise.all(asking)
  for (const [index, { status, body, headers }] of replies.entries()) {
    const name = names[index % names.length]!
    if (status === 200) assert.equal(body.value, rightValue(gateway, name), name)
    else {
      assert.ok(['503 queue_full', '504 queue_timeout'].includes(`${status} ${body.code}`), `${status} ${body.code}`)
      assert.ok(Number(headers['retry-after']) > 0)
    }
  }
  assert.ok(replies.filter(({ status }) => status === 503).length >= 5)
  assert.ok(replies.filter(({ status }) => status === 200).length >= 100)
  for (const name of names) assert.ok(requestsFor(gateway, name) <= 1, name)
  assert.equal(gateway.inverter.maxOpenReads, 1)
})

test('50 two gateways on one inverter both report foreign access and both read correct values', async () => {
  const timers = createFastTimers(20)
  const faults = { frozenPlant: true }
  await using cleanup = new AsyncDisposableStack()
  const inverter = await startSimulator({ port: 0, timers, catalog, seed: 1, faults })
  cleanup.defer(() => inverter.close())
  const gateways: TestGateway[] = []
  for (let count = 0; count < 2; count += 1)
    gateways.push(cleanup.use(await startGateway({ timers, inverter, device: { request_gap_ms: 0 } })))
  for (const gateway of gateways) await gateway.isReady()
  const names = catalog.objects
    .filter(({ type, scale, name }) => type === 'float' && scale === 1 && !catalog.roles.periodic.includes(name))
    .slice(0, 30)
    .map(({ name }) => name)
  // Each uses another order, so that they request different objects at the same time.
  const right = await Promise.all(
    gateways.map(async (gateway, which) => {
      let count = 0
      for (const name of which === 0 ? names : names.toReversed()) {
        const { status, body } = await readFresh(gateway, name)
        if (status === 200) assert.equal(body.value, rightValue(gateway, name), name)
        if (status === 200 && !body.stale) count += 1
      }
      return count
    }),
  )
  for (const [index, gateway] of gateways.entries()) {
    assert.ok(right[index]! >= 25, `${right[index]} of 30`)
    const { ready, foreign_access_suspected: isSuspected } = await readinessKey(gateway)
    assert.deepEqual([ready, isSuspected], [true, true])
  }
})
