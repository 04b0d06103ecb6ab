import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, startWebhookReceiver } from '@hearth/testing'
import { startSimulator } from '../src/simulator/simulator.ts'
import type { Snapshot, SnapshotContent, SnapshotDifferences, SnapshotList } from '../src/snapshots/schema.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'

const base = '/admin/api/devices/main'
const list = (gateway: TestGateway) => gateway.operate('GET', `${base}/snapshots`) as Promise<SnapshotList>
const content = (gateway: TestGateway, id: number) =>
  gateway.operate('GET', `${base}/snapshots/${id}`) as Promise<SnapshotContent>
const compare = (gateway: TestGateway, query: string) =>
  gateway.operate('GET', `${base}/snapshot-differences?${query}`) as Promise<SnapshotDifferences>

/** Begins a snapshot and waits until it is in the state. */
async function take(gateway: TestGateway, body: object = {}, state: Snapshot['state'] = 'complete'): Promise<Snapshot> {
  const { id } = (await gateway.operate('POST', `${base}/snapshots`, body)) as Snapshot
  return waitFor(gateway, id, state)
}

async function waitFor(gateway: TestGateway, id: number, state: Snapshot['state'] = 'complete'): Promise<Snapshot> {
  const { snapshots } = await eventually(
    () => list(gateway),
    ({ snapshots, progress }) => progress === null && snapshots.find((one) => one.id === id)?.state === state,
    { what: `the snapshot to be ${state}`, seconds: 60 },
  )
  return snapshots.find((one) => one.id === id) as Snapshot
}

const frozen = { speed: 100, simulator: { faults: { frozenPlant: true } } }

test('a snapshot holds what is set, read one at a time, and no readings, actions or secrets', async () => {
  await using gateway = await startGateway(frozen)
  await gateway.isReady()
  const { parameters, estimated_seconds: seconds } = await list(gateway)
  assert.ok(seconds > 30 && seconds < 120, `${seconds} s for ${parameters} parameters`)
  const taken = await take(gateway, { name: 'Before winter', note: 'As the installer left it' })
  assert.deepEqual(
    [taken.name, taken.note, taken.taken_by, taken.read, taken.total, taken.firmware],
    ['Before winter', 'As the installer left it', 'command line', parameters, parameters, '5687'],
  )
  assert.equal(gateway.inverter.maxOpenReads, 1)
  const { values } = await content(gateway, taken.id)
  const names = new Set(values.map(({ name }) => name))
  for (const name of ['power_mng_soc_min', 'nsm_p_limit', 'grid_mon_0_u_over_threshold', 'p_rec_lim_1', 'svnversion'])
    assert.ok(names.has(name), name)
  for (const name of [
    'battery_soc',
    'energy_e_load_day',
    'com_service',
    'flash_rtc_time_stamp',
    'net_slave_data',
    'inverter_state',
    'pas_period',
  ])
    assert.ok(!names.has(name), name)
  assert.ok(![...names].some((name) => name.includes('password')))
  const strategy = values.find(({ name }) => name === 'power_mng_soc_strategy')
  assert.deepEqual(
    [strategy?.value, strategy?.label],
    [4, catalog.byName('power_mng_soc_strategy')?.enumLabels?.get(4)],
  )
})

test('a change by this service has its author, another one is told, and only once', async () => {
  await using receiver = await startWebhookReceiver()
  const environment = { OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://inverter.example.org' }
  await using gateway = await startGateway({ ...frozen, environment })
  await gateway.isReady()
  const rules = {
    classes: null,
    minimum_severity: 'info',
    time_zone: 'UTC',
    quiet_hours: null,
    digest: { every: 'message' },
  }
  const target = { kind: 'webhook', url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }
  const told = () => receiver.received.filter(({ type }) => type === 'parameters.changed')
  await gateway.operate('POST', '/admin/api/notifications/destinations', {
    name: 'Hook',
    is_enabled: true,
    target,
    rules,
  })
  const first = await take(gateway)
  await gateway.allowWriting('power_mng_soc_charge')
  // On a busy machine the inverter may answer too late.
  await eventually(
    () => gateway.call('PUT', '/api/v1/devices/main/metrics/power_mng_soc_charge', { value: 0.25 }),
    ({ status }) => status === 200,
    { everyMs: 500 },
  )
  gateway.inverter.registers.set('power_mng_soc_min', 0.125)
  gateway.inverter.registers.set('display_struct_brightness', 7)
  gateway.inverter.registers.set('parameter_file', 'DE-2')
  await take(gateway, { origin: 'current' })
  const { differences, compared, to } = await compare(gateway, `from=${first.id}`)
  assert.deepEqual([compared, to.origin], [first.read, 'current'])
  assert.deepEqual(
    differences.map(({ name, after, origin, write }) => [name, after, origin, write?.caller ?? null]),
    [
      ['display_struct_brightness', 7, 'not_ordered', null],
      ['parameter_file', 'DE-2', 'fact', null],
      ['power_mng_soc_charge', 0.25, 'written_here', 'test read_write'],
      ['power_mng_soc_min', 0.125, 'not_ordered', null],
    ],
  )
  await eventually(told, ({ length }) => length === 1, { what: 'the message', seconds: 30 })
  assert.equal(told()[0]?.title, '2 settings of main changed')
  assert.match(told()[0]?.text ?? '', /display_struct_brightness: \d+ → 7; power_mng_soc_min: .* → 0\.125/)

  gateway.inverter.registers.set('power_mng_soc_min', 0.5)
  gateway.inverter.registers.set('power_mng_soc_max', 0.75)
  await take(gateway, { origin: 'current' })
  await eventually(told, ({ length }) => length === 2, { what: 'the second message', seconds: 30 })
  assert.equal(told()[1]?.title, '1 setting of main changed')
  assert.match(told()[1]?.text ?? '', /power_mng_soc_max/)
  assert.equal((await list(gateway)).snapshots.filter(({ origin }) => origin === 'current').length, 1)
})

test('after a change of firmware a snapshot is taken and compared with the one before', async () => {
  await using gateway = await startGateway(frozen)
  await gateway.isReady()
  const before = await take(gateway)
  gateway.inverter.setFaults({ values: { svnversion: '6001', nsm_p_limit: 4000 } })
  gateway.inverter.dropConnections()
  const { snapshots } = await eventually(
    () => list(gateway),
    (now) => now.progress === null && now.snapshots[0]?.origin === 'firmware' && now.snapshots[0].state === 'complete',
    { what: 'the snapshot after the update', seconds: 60 },
  )
  assert.equal(snapshots[0]?.firmware, '6001')
  const { from, differences } = await compare(gateway, 'from=previous_firmware')
  assert.equal(from.id, before.id)
  assert.deepEqual(
    differences.map(({ name, after }) => [name, after]),
    [
      ['nsm_p_limit', 4000],
      ['svnversion', '6001'],
    ],
  )
})

test('a reading waits for an inverter that falls silent, is interrupted by a restart, and goes on where it was', async () => {
  const timers = createFastTimers(20)
  await using inverter = {
    simulator: await startSimulator({ port: 0, timers, catalog, seed: 1 }),
    async [Symbol.asyncDispose]() {
      await this.simulator.close()
    },
  }
  const first = await startGateway({ timers, inverter: inverter.simulator })
  await first.isReady()
  const { id } = (await first.operate('POST', `${base}/snapshots`, { name: 'Long' })) as Snapshot
  const begun = await eventually(
    () => list(first),
    ({ progress }) => (progress?.done ?? 0) > 50,
    { what: 'half of it', everyMs: 20, seconds: 30 },
  )
  assert.ok((begun.progress?.remaining_seconds ?? 0) > 0)
  const second = await first.send('POST', `${base}/snapshots`, { token: first.tokens.write })
  assert.equal(second.status, 403)
  await assert.rejects(first.operate('POST', `${base}/snapshots`, {}), /being read already/)
  inverter.simulator.setFaults({ bootloader: true })
  inverter.simulator.dropConnections()
  await eventually(
    () => list(first),
    ({ progress }) => progress?.waiting_for !== null,
    { what: 'the wait', seconds: 60 },
  )
  await first.stop()
  inverter.simulator.setFaults({ bootloader: false })

  await using again = await startGateway({ timers, inverter: inverter.simulator, folder: first.folder })
  await again.isReady()
  const left = (await list(again)).snapshots[0]
  assert.deepEqual([left?.state, left?.detail], ['interrupted', 'The service ended meanwhile'])
  assert.ok((left?.read ?? 0) > 0)
  await assert.rejects(compare(again, `from=${id}&to=${id}`), /is not complete/)
  await again.operate('POST', `${base}/snapshots/${id}/resume`)
  const done = await waitFor(again, id)
  assert.deepEqual([done.name, done.read], ['Long', done.total])
  await first[Symbol.asyncDispose]()
})

test('a reading mixes no two inverters: it begins again when another one answers or its address is changed', async () => {
  const timers = createFastTimers(20)
  const inverter = await startSimulator({ port: 0, timers, catalog, seed: 1 })
  const gateway = await startGateway({ timers, inverter })
  try {
    await gateway.isReady()
    const { id } = (await gateway.operate('POST', `${base}/snapshots`, {})) as Snapshot
    const half = () =>
      eventually(
        () => list(gateway),
        ({ progress }) => (progress?.done ?? 0) > 50,
        { what: 'half of it', everyMs: 20, seconds: 30 },
      )
    await half()
    inverter.setFaults({ bootloader: true })
    inverter.dropConnections()
    await eventually(
      () => list(gateway),
      ({ progress }) => progress?.waiting_for !== null,
      { what: 'the wait', seconds: 60 },
    )
    inverter.setFaults({ bootloader: false, values: { inverter_serial: 'SIM000000002' } })
    const replaced = await waitFor(gateway, id, 'interrupted')
    assert.deepEqual([replaced.read, replaced.detail], [0, 'Another inverter or firmware answers'])
    await gateway.operate('POST', `${base}/snapshots/${id}/resume`)
    await half()
    await gateway.operate('PATCH', '/admin/api/devices/main', { host: 'localhost' })
    const moved = await waitFor(gateway, id, 'interrupted')
    assert.deepEqual([moved.read, moved.detail], [0, 'The address of the inverter was changed'])
    await gateway.operate('POST', `${base}/snapshots/${id}/resume`)
    const done = await waitFor(gateway, id)
    assert.deepEqual([done.read, done.serial], [done.total, 'SIM000000002'])
  } finally {
    await gateway[Symbol.asyncDispose]()
    await inverter.close()
  }
})

test('parameters that the firmware does not answer are listed, and a reading can be cancelled', async () => {
  const silentFor = ['nsm_p_limit', 'modbus_mode']
  await using gateway = await startGateway({ ...frozen, simulator: { faults: { frozenPlant: true, silentFor } } })
  await gateway.isReady()
  const taken = await take(gateway)
  assert.deepEqual([taken.failed, taken.read], [2, taken.total - 2])
  const { values } = await content(gateway, taken.id)
  assert.deepEqual(
    values.filter(({ failure }) => failure !== null).map(({ name, failure }) => [name, failure]),
    [
      ['modbus_mode', 'unanswered'],
      ['nsm_p_limit', 'unanswered'],
    ],
  )
  const { id } = (await gateway.operate('POST', `${base}/snapshots`, {})) as Snapshot
  await gateway.operate('POST', `${base}/snapshots:cancel`)
  const cancelled = await waitFor(gateway, id, 'interrupted')
  assert.equal(cancelled.detail, 'Cancelled')
  await gateway.operate('DELETE', `${base}/snapshots/${id}`)
  assert.deepEqual(
    (await list(gateway)).snapshots.map((one) => one.id),
    [taken.id],
  )
})

test('once a day a snapshot is taken when that is switched on, and those with a name outlive the others', async () => {
  await using gateway = await startGateway(frozen)
  await gateway.isReady()
  const named = await take(gateway, { name: 'Kept' })
  const settings = { after_firmware: true, daily: true, kept: 2 }
  await gateway.operate('PUT', '/admin/api/snapshot-settings', settings)
  for (let day = 1; day <= 3; day += 1) {
    gateway.timers.jump(86_400_000)
    await eventually(
      () => list(gateway),
      ({ snapshots, progress }) =>
        progress === null &&
        Date.parse(snapshots[0]?.begun_at ?? '') > gateway.timers.now() - 86_400_000 &&
        snapshots[0]?.state === 'complete',
      { what: `day ${day}`, seconds: 60 },
    )
  }
  const { snapshots } = await list(gateway)
  assert.deepEqual(
    snapshots.map(({ origin }) => origin),
    ['daily', 'daily', 'manual'],
  )
  assert.equal(snapshots.at(-1)?.id, named.id)
  await gateway.operate('PATCH', `${base}/snapshots/${named.id}`, { name: '' })
  assert.deepEqual(
    (await list(gateway)).snapshots.map(({ origin }) => origin),
    ['daily', 'manual'],
  )
})

test('snapshots outlive another address of the inverter, and go with the inverter', async () => {
  await using gateway = await startGateway(frozen)
  await gateway.isReady()
  const { id } = await take(gateway)
  await gateway.operate('PATCH', '/admin/api/devices/main', { host: 'localhost' })
  assert.equal((await list(gateway)).snapshots[0]?.id, id)
  await gateway.operate('DELETE', '/admin/api/devices/main')
  await assert.rejects(list(gateway), /no device main/)
  await gateway.operate('POST', '/admin/api/devices', {
    device_id: 'main',
    host: '127.0.0.1',
    port: gateway.inverter.port,
  })
  assert.deepEqual((await list(gateway)).snapshots, [])
})

test('a snapshot as a file has every parameter, and a cell that begins like a formula is text', async () => {
  await using gateway = await startGateway(frozen)
  await gateway.isReady()
  gateway.inverter.registers.set('android_description', '=1+1, "roof"')
  const { id, total } = await take(gateway)
  const browser = await gateway.signIn()
  const csv = await browser.send('GET', `${base}/snapshots/${id}/values.csv`)
  assert.equal(csv.text.trim().split('\n').length, total + 1)
  assert.match(csv.text, /^android_description,android_description,others,setting,"'=1\+1, ""roof""",,,$/m)
  const json = await browser.send('GET', `${base}/snapshots/${id}/values.json`)
  assert.equal(json.body.values.length, total)
})
