import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startFaulty } from './faulty-line.ts'
import { catalog, main, type Reply, type TestGateway } from './in-process.ts'

const charge = ({ timers }: TestGateway) => ({
  mode: 'charge_from_grid',
  target_soc_percent: 90,
  max_power_w: 2000,
  valid_until: new Date(timers.now() + 3_600_000).toISOString(),
})

const registers = new Set(catalog.roles.dispatchRegisters.map((name) => catalog.byName(name)!.objectId))

/** Writes to dispatch registers that reached the inverter. */
const dispatchWrites = ({ inverter }: TestGateway): number =>
  inverter.wire.filter(({ frame }) => frame?.command === 'write' && registers.has(frame.objectId)).length

/** The answer of the first attempt that finds a connection. */
const onceConnected = (call: () => Promise<Reply>): Promise<Reply> =>
  eventually(call, ({ status }) => status !== 502, { what: 'a connection', everyMs: 5, seconds: 20 })

const dispatch = (gateway: TestGateway): Promise<Reply> =>
  onceConnected(() => gateway.call('POST', main('/battery/dispatch'), charge(gateway)))

/** The inverter comes back with other values, as after an update of its firmware. */
function comeBackWith({ inverter }: TestGateway, values: Record<string, string>): void {
  inverter.setFaults({ values })
  inverter.dropConnections()
}

for (const [what, values] of [
  ['another firmware', { svnversion: '6001' }],
  ['another serial number', { inverter_serial: 'SIM000000002' }],
] as const)
  test(`a dispatch right after a reconnect to ${what} is refused before anything is written`, async () => {
    await using gateway = await startFaulty({}, { speed: 20 })
    await gateway.allowDispatch()
    comeBackWith(gateway, values)
    const { status, body } = await dispatch(gateway)
    assert.deepEqual([status, body.code], [409, 'dispatch_unverified'])
    assert.equal(dispatchWrites(gateway), 0)
  })

test('capabilities stay verified when the firmware revision cannot be read after a reconnect', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  await gateway.allowDispatch()
  gateway.inverter.setFaults({ silentFor: ['svnversion'] })
  gateway.inverter.dropConnections()
  assert.equal((await dispatch(gateway)).status, 200)
})

test('a running dispatch ends and restores the settings when a reconnect finds another firmware', async () => {
  await using gateway = await startFaulty({ frozenPlant: false }, { speed: 20 })
  await gateway.allowDispatch()
  const before = gateway.inverter.registers.get('power_mng_soc_strategy')
  const started = await dispatch(gateway)
  assert.equal(started.status, 200)
  comeBackWith(gateway, { svnversion: '6001' })
  const { body } = await eventually(
    () => gateway.call('GET', main('/battery/dispatch')),
    (reply) => reply.body.state === 'idle',
    { what: 'the end of the dispatch', seconds: 20 },
  )
  assert.deepEqual([body.stop_reason, body.fault_code], ['device_error', 'dispatch_unverified'])
  assert.equal(gateway.inverter.registers.get('power_mng_soc_strategy'), before)
})

test('firmware revision and serial number are read on each connection before the first write', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  await gateway.allowWriting('battery_soc_target')
  const from = gateway.inverter.wire.length
  gateway.inverter.dropConnections()
  const reply = await onceConnected(() => gateway.call('PUT', main('/metrics/battery_soc_target'), { value: 60 }))
  assert.equal(reply.status, 200, reply.text)
  const sent = gateway.inverter.wire.slice(from).filter(({ direction }) => direction === 'in')
  const at = (name: string, command: string) =>
    sent.findIndex(({ frame }) => frame?.command === command && frame.objectId === catalog.byName(name)!.objectId)
  const written = at('battery_soc_target', 'write')
  for (const name of ['svnversion', 'inverter_serial'])
    assert.ok(at(name, 'read') >= 0 && at(name, 'read') < written, name)
})

test('a dispatch starts after a reconnect to the same firmware', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  await gateway.allowDispatch()
  gateway.inverter.dropConnections()
  const { status, body } = await dispatch(gateway)
  assert.deepEqual([status, body.state], [200, 'charging'])
})

test('a simulated update goes through the boot loader to another firmware, which takes verifications away', async () => {
  await using gateway = await startFaulty({}, { speed: 60 })
  await gateway.allowDispatch()
  await gateway.isReady()
  const device = async () => {
    const { devices } = (await gateway.operate('GET', '/admin/api/devices')) as {
      devices: { firmware: string | null; state: string }[]
    }
    return devices[0]
  }
  await eventually(device, (found) => found?.firmware === '5687', { what: 'the firmware', everyMs: 20 })
  gateway.inverter.setFaults({ firmware: '5701' })
  await eventually(device, (found) => found?.state === 'maintenance', { what: 'the boot loader', everyMs: 5 })
  await eventually(device, (found) => found?.firmware === '5701', { what: 'the update', everyMs: 20, seconds: 30 })
  const { status, body } = await dispatch(gateway)
  assert.deepEqual([status, body.code], [409, 'dispatch_unverified'])
})
