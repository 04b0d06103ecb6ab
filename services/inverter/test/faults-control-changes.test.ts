import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import {
  dispatchOf,
  dispatchPath,
  handingBack,
  onWrite,
  ownSettings,
  reaches,
  register,
  registersOf,
  start,
  startWithBattery,
  stop,
  wish,
  writesOf,
} from './battery.ts'
import { catalog, main, type Reply, type TestGateway } from './in-process.ts'

const outcomeOf = ({ status, body }: Reply) => [status, body.code ?? body.state]

/** The writes form complete plans in this order, and no two plans interleave. */
function assertOrdered(gateway: TestGateway, plans: readonly (readonly string[])[]): void {
  const names = writesOf(gateway.inverter).map(({ name }) => name)
  assert.deepEqual(names, plans.flat())
  assert.ok(gateway.inverter.maxOpenReads <= 1)
}

const applyNames = [register.strategy, register.target, register.gridCharge, register.setpoint]
const holdNames = [register.strategy, register.gridCharge, register.setpoint]
const restoreNames = handingBack.map(([name]) => name)

test('45 of two concurrent starts the second replaces the first after it has finished', async () => {
  await using gateway = await startWithBattery()
  const replies = await Promise.all([start(gateway, 'charge_from_grid'), start(gateway, 'hold')])
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.state, body.replaced]),
    [
      [200, 'charging', false],
      [200, 'holding', true],
    ],
  )
  assert.equal((await dispatchOf(gateway)).operation_id, replies[1].body.operation_id)
  await stop(gateway)
  assertOrdered(gateway, [applyNames, holdNames, restoreNames])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('45 of two replacements of one operation one succeeds; the other gets a conflict that names it', async () => {
  await using gateway = await startWithBattery()
  const old = (await start(gateway, 'charge_from_grid')).body.operation_id
  const replies = await Promise.all([
    start(gateway, 'hold', { expected_operation_id: old }),
    start(gateway, 'charge_from_grid', { max_power_w: 700, expected_operation_id: old }),
  ])
  assert.deepEqual(
    replies.map(outcomeOf).toSorted((a, b) => a[0] - b[0]),
    [
      [200, 'holding'],
      [409, 'dispatch_operation_conflict'],
    ],
  )
  const winner = replies.find(({ status }) => status === 200)?.body.operation_id
  assert.equal(replies.find(({ status }) => status === 409)?.body.operation_id, winner)
  const late = await start(gateway, 'charge_from_grid', { expected_operation_id: old })
  assert.deepEqual(outcomeOf(late), [409, 'dispatch_operation_conflict'])
  await stop(gateway)
  const gone = await start(gateway, 'hold', { expected_operation_id: winner })
  assert.deepEqual([...outcomeOf(gone), gone.body.operation_id], [409, 'dispatch_operation_conflict', null])
  assertOrdered(gateway, [applyNames, holdNames, restoreNames])
})

test('45 twenty identical concurrent starts make one operation', async () => {
  await using gateway = await startWithBattery()
  const request = wish(gateway, 'charge_from_grid')
  const replies = await Promise.all(Array.from({ length: 20 }, () => gateway.call('POST', dispatchPath, request)))
  const started = replies.filter(({ status }) => status === 200)
  assert.equal(new Set(started.map(({ body }) => body.operation_id)).size, 1)
  for (const { status, body, headers } of replies.filter(({ status }) => status !== 200)) {
    assert.deepEqual([status, body.code], [503, 'queue_full'])
    assert.ok(Number(headers['retry-after']) > 0)
  }
  assertOrdered(gateway, [applyNames])
})

test('45 a start during a restore is refused at once, and succeeds afterwards', async () => {
  await using gateway = await startWithBattery()
  await start(gateway, 'charge_from_grid')
  const ending = stop(gateway)
  await eventually(
    () => writesOf(gateway.inverter).length,
    (count) => count > applyNames.length,
    { everyMs: 2 },
  )
  const refused = await start(gateway, 'hold')
  assert.deepEqual(outcomeOf(refused), [409, 'dispatch_restore_required'])
  assert.equal((await dispatchOf(gateway)).state, 'restoring')
  assert.deepEqual(outcomeOf(await ending), [200, 'idle'])
  assert.equal((await start(gateway, 'hold')).status, 200)
  assertOrdered(gateway, [applyNames, restoreNames, holdNames])
})

test('45 a stop during a start ends the operation, and both callers are told', async () => {
  await using gateway = await startWithBattery()
  const starting = start(gateway, 'charge_from_grid')
  await eventually(
    () => writesOf(gateway.inverter).length,
    (count) => count > 0,
    { everyMs: 2 },
  )
  const ended = await stop(gateway)
  assert.deepEqual(outcomeOf(ended), [200, 'idle'])
  assert.deepEqual(outcomeOf(await starting), [409, 'dispatch_operation_conflict'])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  assert.deepEqual(outcomeOf(await stop(gateway)), [404, 'dispatch_not_found'])
})

test('45 concurrent starts and stops by many clients leave the device with its original settings', async () => {
  await using gateway = await startWithBattery()
  const modes = ['charge_from_grid', 'discharge_to_load', 'hold'] as const
  const callers = modes.map(async (mode, index) => {
    for (let turn = 0; turn < 4; turn += 1) {
      const reply = await ((turn + index) % 3 === 2 ? stop(gateway) : start(gateway, mode))
      assert.ok([200, 404, 409].includes(reply.status), reply.text)
    }
  })
  await Promise.all(callers)
  await stop(gateway)
  await reaches(gateway, 'idle')
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  assert.ok(gateway.inverter.maxOpenReads <= 1)
})

/** Changes that make an operation impossible, and a check whether they were made. */
const changes: Record<
  string,
  { make: (gateway: TestGateway) => Promise<unknown>; isMade: (gateway: TestGateway) => Promise<boolean> }
> = {
  'write access switched off': {
    make: (gateway) => gateway.operate('PUT', '/admin/api/write-access', { enabled: false }),
    isMade: async (gateway) => (await gateway.call('GET', dispatchPath)).body.code === 'write_disabled',
  },
  'an approval revoked': {
    make: (gateway) => gateway.operate('PATCH', '/admin/api/parameters', { revoke: [register.setpoint] }),
    isMade: (gateway) => isRevoked(gateway),
  },
  'the approvals replaced by none': {
    make: (gateway) => gateway.operate('PUT', '/admin/api/parameters', { write_names: [] }),
    isMade: (gateway) => isRevoked(gateway),
  },
  'the device removed': {
    make: (gateway) => gateway.operate('DELETE', '/admin/api/devices/main'),
    isMade: async (gateway) => (await gateway.call('GET', dispatchPath)).body.code === 'unknown_device',
  },
  'the device given another address': {
    make: (gateway) => gateway.operate('PATCH', '/admin/api/devices/main', { host: '127.0.0.2' }),
    isMade: async (gateway) => (await deviceOf(gateway)).host === '127.0.0.2',
  },
}

async function isRevoked(gateway: TestGateway): Promise<boolean> {
  const { parameters } = (await gateway.operate('GET', '/admin/api/parameters')) as {
    parameters: { name: string; approved: boolean }[]
  }
  return !parameters.some(({ name, approved }) => name === register.setpoint && approved)
}

async function deviceOf(gateway: TestGateway): Promise<Record<string, unknown>> {
  const { devices } = (await gateway.operate('GET', '/admin/api/devices')) as { devices: Record<string, unknown>[] }
  return devices[0] ?? {}
}

for (const [what, { make, isMade }] of Object.entries(changes)) {
  test(`46 ${what} while an operation runs: the device is restored first`, async () => {
    await using gateway = await startWithBattery()
    assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
    await make(gateway)
    assert.ok(await isMade(gateway))
    assertOrdered(gateway, [applyNames, restoreNames])
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  })

  test(`46 ${what} while the device cannot be restored: the change is refused`, async () => {
    await using gateway = await startWithBattery()
    assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
    gateway.inverter.setFaults({ stuck: [register.strategy] })
    await assert.rejects(make(gateway), /dispatch_restore_required/)
    assert.equal(await isMade(gateway), false)
    // The state alternates with retries of the restore.
    await reaches(gateway, 'fault_restore_pending')
    gateway.inverter.clearFaults()
    await reaches(gateway, 'idle')
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
    await make(gateway)
    assert.ok(await isMade(gateway))
  })
}

for (const what of ['write access switched off', 'an approval revoked'])
  test(`46 ${what} while starts are queued: none of them reaches the device`, async () => {
    await using gateway = await startWithBattery()
    const replies = [start(gateway, 'charge_from_grid')]
    await eventually(
      () => writesOf(gateway.inverter).length,
      (count) => count > 0,
      { everyMs: 1 },
    )
    const changed = changes[what]?.make(gateway).then(() => true)
    const pause = () => gateway.timers.delay(100).then(() => false)
    for (let turn = 0; (await Promise.race([changed, pause()])) === false; turn += 1)
      if (turn < 6) replies.push(start(gateway, turn % 2 === 0 ? 'hold' : 'discharge_to_load'))
    const written = writesOf(gateway.inverter).length
    assert.deepEqual(registersOf(gateway.inverter), ownSettings)
    const outcomes = (await Promise.all(replies)).map(({ status }) => status)
    assert.ok(!outcomes.includes(200), String(outcomes))
    assert.equal(writesOf(gateway.inverter).length, written)
  })

test('46 write access switched off while writes are queued: none of them is sent', async () => {
  await using gateway = await startWithBattery()
  gateway.inverter.setFaults({ latencyMs: 1000 })
  const write = (value: number) => gateway.call('PUT', main(`/metrics/${register.target}`), { value })
  const replies = [0.6, 0.7, 0.8].map(write)
  await eventually(
    () => writesOf(gateway.inverter).length,
    (count) => count > 0,
    { everyMs: 1 },
  )
  await changes['write access switched off']?.make(gateway)
  assert.deepEqual((await Promise.all(replies)).map(outcomeOf), [
    [200, undefined],
    [404, 'write_disabled'],
    [404, 'write_disabled'],
  ])
  assert.equal(writesOf(gateway.inverter).length, 1)
})

/** A write of the target whose request has reached the inverter as a read of the value before. */
async function beginWriting(gateway: TestGateway, value: number): Promise<{ reply: Promise<Reply> }> {
  const seen = gateway.inverter.wire.length
  const reply = gateway.call('PUT', main(`/metrics/${register.target}`), { value })
  await eventually(
    () => gateway.inverter.wire.slice(seen),
    (wire) => wire.some(({ frame }) => frame?.objectId === catalog.byName(register.target)?.objectId),
    { everyMs: 1 },
  )
  return { reply }
}

test('46 write access switched off, or an approval revoked, while a write is being prepared: it is not sent', async () => {
  await using gateway = await startWithBattery()
  gateway.inverter.setFaults({ latencyMs: 2000 })
  const revoked = await beginWriting(gateway, 0.6)
  await gateway.operate('PATCH', '/admin/api/parameters', { revoke: [register.target] })
  assert.deepEqual(outcomeOf(await revoked.reply), [403, 'write_not_allowed'])
  await gateway.allowDispatch()
  const refused = await beginWriting(gateway, 0.7)
  await changes['write access switched off']?.make(gateway)
  assert.deepEqual(outcomeOf(await refused.reply), [404, 'write_disabled'])
  assert.deepEqual(writesOf(gateway.inverter), [])
})

test('46 a write that is being prepared when an operation takes its register is refused', async () => {
  await using gateway = await startWithBattery()
  gateway.inverter.setFaults({ latencyMs: 500 })
  const { reply } = await beginWriting(gateway, 0.6)
  const started = await start(gateway, 'charge_from_grid')
  assert.equal(started.status, 200, started.text)
  assert.deepEqual(outcomeOf(await reply), [409, 'dispatch_operation_conflict'])
  await stop(gateway)
  assertOrdered(gateway, [applyNames, restoreNames])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('46 a start while the device is being removed is refused', async () => {
  await using gateway = await startWithBattery()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  const removed = gateway.operate('DELETE', '/admin/api/devices/main')
  await eventually(
    () => writesOf(gateway.inverter).length,
    (count) => count > applyNames.length,
    { everyMs: 2 },
  )
  const refused = await start(gateway, 'hold')
  assert.ok([404, 409, 503].includes(refused.status), refused.text)
  await removed
  assert.equal((await start(gateway, 'hold')).status, 404)
  assertOrdered(gateway, [applyNames, restoreNames])
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('46 a device added again under the same name has no verified capabilities and no operation', async () => {
  await using gateway = await startWithBattery()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  await gateway.operate('DELETE', '/admin/api/devices/main')
  const device = { device_id: 'main', host: '127.0.0.1', port: gateway.inverter.port }
  await gateway.operate('POST', '/admin/api/devices', device)
  assert.equal((await dispatchOf(gateway)).state, 'idle')
  assert.deepEqual(outcomeOf(await start(gateway, 'charge_from_grid')), [409, 'dispatch_limits_missing'])
  const limits = { max_charge_power_w: 3000, max_discharge_power_w: 3000 }
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', limits)
  assert.deepEqual(outcomeOf(await start(gateway, 'hold')), [409, 'dispatch_unverified'])
})

test('46 the Energy Manager leaves a mode only after the device’s settings are restored', async () => {
  await using gateway = await startWithBattery()
  const setMode = (mode: string) => gateway.operate('PUT', '/admin/api/energy/devices/main/mode', { mode })
  const modeOf = async () => (await gateway.call('GET', main('/energy'))).body.mode
  await setMode('external')
  const command = await gateway.call('POST', main('/energy/command'), { action: 'charge', target_soc_percent: 90 })
  assert.equal(command.status, 200, command.text)
  gateway.inverter.setFaults({ stuck: [register.strategy] })
  await assert.rejects(setMode('off'), /dispatch_restore_required/)
  assert.equal(await modeOf(), 'external')
  gateway.inverter.clearFaults()
  await reaches(gateway, 'idle')
  await setMode('off')
  assert.equal(await modeOf(), 'off')
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('47 settings of a running operation cannot change; the error names the operation', async () => {
  await using gateway = await startWithBattery()
  const { operation_id: id } = (await start(gateway, 'charge_from_grid')).body
  const base = '/admin/api/dispatch/devices/main'
  const capability = (name: string) => `${base}/capabilities/${name}`
  const plain = { status: 'unverified' }
  for (const [path, body] of [
    [capability('battery_power_sign_convention'), plain],
    [capability('write_path_convention'), plain],
    [base, { max_charge_power_w: 1000 }],
    [base, { engineering_mode: true }],
  ] as const) {
    await assert.rejects(gateway.operate('PUT', path, body), (error: Error) => {
      const problem = JSON.parse(error.message.slice(error.message.indexOf('{')))
      assert.deepEqual(
        [problem.status, problem.code, problem.operation_id, problem.mode],
        [409, 'dispatch_capability_conflict', id, 'charge_from_grid'],
      )
      return true
    })
  }
  // Charging does not read the grid meter.
  await gateway.operate('PUT', capability('grid_power_sign_convention'), plain)
  assert.equal((await dispatchOf(gateway)).operation_id, id)
  await stop(gateway)
  await gateway.operate('PUT', capability('battery_power_sign_convention'), plain)
  assert.deepEqual(outcomeOf(await start(gateway, 'charge_from_grid')), [409, 'dispatch_unverified'])
})

test('47 a capability change during a start waits for the start, then is refused', async () => {
  await using gateway = await startWithBattery()
  const starting = start(gateway, 'charge_from_grid')
  let tried: Promise<unknown> | undefined
  onWrite(gateway.inverter, () => {
    const path = '/admin/api/dispatch/devices/main/capabilities/write_path_convention'
    tried ??= gateway.operate('PUT', path, { status: 'unverified' }).catch((error: unknown) => error)
    return undefined
  })
  assert.equal((await starting).status, 200)
  assert.match(String(await tried), /dispatch_capability_conflict/)
  assert.equal((await dispatchOf(gateway)).state, 'charging')
})
