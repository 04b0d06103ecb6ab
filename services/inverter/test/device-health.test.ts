import assert from 'node:assert/strict'
import { test } from 'node:test'
import { main, startGateway } from './in-process.ts'

const day = 86_400

test('health reports named faults, the battery status and the days until calibration', async () => {
  await using gateway = await startGateway({ speed: 50 })
  const { registers } = gateway.inverter
  const calibration = Math.floor(gateway.timers.now() / 1000) + 3 * day
  registers.set('fault_0_flt', 2 ** 25)
  registers.set('fault_2_flt', 0)
  registers.set('battery_status', 0x1008)
  registers.set('battery_status2', 0x800)
  registers.set('power_mng_bat_next_calib_date', calibration)
  const { status, body } = await gateway.call('GET', main('/health'))
  assert.equal(status, 200)
  assert.deepEqual(body.faults, [{ bit: 25, label: 'insulation' }])
  assert.deepEqual(body.unavailable, [])
  assert.equal(typeof body.state.label, 'string')
  assert.deepEqual(body.battery, {
    status: { raw: 0x1008, flags: ['calibration_high', 'error'] },
    status2: { raw: 0x800, flags: ['balancing'] },
    has_error: true,
    is_calibrating: true,
    is_balancing: true,
    next_calibration_at: new Date(calibration * 1000).toISOString(),
    days_to_calibration: 3,
  })
})

test('an inverter without a planned calibration reports no days until calibration', async () => {
  await using gateway = await startGateway({ speed: 50 })
  gateway.inverter.registers.set('power_mng_bat_next_calib_date', 0)
  const { battery } = (await gateway.call('GET', main('/health'))).body
  assert.deepEqual([battery.next_calibration_at, battery.days_to_calibration], [null, null])
})

test('the event table lists the newest event first, with durations and changed values', async () => {
  await using gateway = await startGateway({ speed: 50 })
  const { status, body } = await gateway.call('GET', main('/events?before=2026-03-01T12:00:00Z'))
  assert.equal(status, 200)
  assert.equal(body.before, '2026-03-01T12:00:00.000Z')
  assert.deepEqual(body.events, [
    {
      type: 0x73,
      label: 'parameter_changed',
      at: '2026-03-01T11:30:00.000Z',
      until: null,
      parameter: { name: 'pas_period', old_raw: 0, new_raw: 30 },
    },
    {
      type: 0x73,
      label: 'parameter_changed',
      at: '2026-03-01T11:00:00.000Z',
      until: null,
      parameter: { name: '0x9595930F', old_raw: 0, new_raw: 1 },
    },
    {
      type: 0x5a,
      label: 'no_grid',
      at: '2026-02-28T11:00:00.000Z',
      until: '2026-02-28T11:05:00.000Z',
      parameter: null,
    },
  ])
})

test('a history has a unit and the points before the requested time; other metrics have no history', async () => {
  await using gateway = await startGateway({ speed: 50 })
  const history = (name: string, before = `${yesterday}T12:01:00Z`) =>
    gateway.call('GET', main(`/history/${name}?before=${before}`))
  const yesterday = new Date(gateway.timers.now() - 86_400_000).toISOString().slice(0, 10)
  const { status, body } = await history('logger_minutes_soc_log_ts')
  assert.equal(status, 200)
  assert.equal(body.before, `${yesterday}T12:01:00.000Z`)
  assert.equal(body.points.length, 60)
  assert.deepEqual(
    body.points.slice(0, 2).map(({ at }: { at: string }) => at),
    [`${yesterday}T12:00:00.000Z`, `${yesterday}T11:55:00.000Z`],
  )
  assert.equal((await history('battery_soc')).body.code, 'unknown_metric')
  const late = await history('logger_minutes_soc_log_ts', '2040-01-01T00:00:00Z')
  assert.deepEqual(
    [late.status, late.body.code, late.body.errors?.[0]?.parameter],
    [422, 'invalid_parameter', 'before'],
  )
})

test('health and tables of an unreachable inverter answer with a problem document', async () => {
  await using gateway = await startGateway({ speed: 50 })
  await gateway.inverter.close()
  const health = await gateway.call('GET', main('/health'))
  assert.deepEqual([health.status, health.body.code, health.body.errors.length], [502, 'device_unavailable', 8])
  const events = await gateway.call('GET', main('/events'))
  assert.deepEqual([events.status, events.body.code], [502, 'device_unreachable'])
})
