import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startGateway, type TestGateway } from './in-process.ts'

const path = '/api/v1/devices/simulated/battery/dispatch'

const request = ({ timers }: TestGateway, target: number) => ({
  mode: 'charge_from_grid',
  target_soc_percent: target,
  max_power_w: 2000,
  valid_until: new Date(timers.now() + 3_600_000).toISOString(),
})

/** A service as `npm start` runs it: without an inverter it adds a simulated one. */
const startTrial = () => startGateway({ device: null, environment: { HEARTH_UP: '1' } })

test('the simulated inverter can be dispatched once write access is on and its limits are set', async () => {
  await using gateway = await startTrial()
  await gateway.isReady()
  await gateway.allowWriting(
    'power_mng_soc_strategy',
    'power_mng_soc_target_set',
    'power_mng_battery_power_extern',
    'power_mng_use_grid_power_enable',
  )
  const limits = { max_charge_power_w: 3000, max_discharge_power_w: 3000 }
  await gateway.operate('PUT', '/admin/api/dispatch/devices/simulated', limits)
  const { status, body, text } = await gateway.call('POST', path, request(gateway, 95))
  assert.equal(status, 200, text)
  assert.equal(body.state, 'charging', text)
  const { body: energy } = await eventually(
    () => gateway.call('GET', '/api/v1/devices/simulated/energy'),
    ({ body: found }) => found.measured_direction === 'charge' && found.measured_power_w > 1500,
    { what: 'a battery that charges', seconds: 20 },
  )
  assert.deepEqual([energy.commanded_direction, energy.commanded_power_w, energy.deviation], ['charge', 2000, null])
})

test('a restart does not change the recorded capabilities of the simulated inverter', async () => {
  await using gateway = await startTrial()
  const one = '/admin/api/dispatch/devices/simulated/capabilities/write_path_convention'
  await gateway.operate('PUT', one, { status: 'unverified' })
  await gateway.stop()
  await using again = await startGateway({ device: null, environment: { HEARTH_UP: '1' }, folder: gateway.folder })
  const { capabilities } = (await again.operate('GET', '/admin/api/dispatch/devices/simulated/capabilities')) as {
    capabilities: { name: string; status: string }[]
  }
  assert.deepEqual(
    capabilities.filter(({ status }) => status === 'verified').map(({ name }) => name),
    ['battery_power_sign_convention', 'grid_power_sign_convention', 'setpoint_volatility'],
  )
})

test('a refused dispatch says what is missing and where to record it', async () => {
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowDispatch()
  const capability = '/admin/api/dispatch/devices/main/capabilities/write_path_convention'
  await gateway.operate('PUT', capability, { status: 'unverified' })
  const main = '/api/v1/devices/main/battery/dispatch'
  const unverified = await gateway.call('POST', main, request(gateway, 90))
  assert.deepEqual([unverified.status, unverified.body.code], [409, 'dispatch_unverified'])
  assert.deepEqual(unverified.body.missing_capabilities, ['write_path_convention'])
  assert.match(unverified.body.detail, /soc_strategy_external_code/)
  assert.match(unverified.body.detail, /page Inverters, main, Capabilities/)
  assert.match(unverified.body.detail, /hearth inverter capability set --device main write_path_convention/)
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', { max_charge_power_w: null })
  const unlimited = await gateway.call('POST', main, request(gateway, 90))
  assert.deepEqual([unlimited.status, unlimited.body.code], [409, 'dispatch_limits_missing'])
  assert.match(unlimited.body.detail, /max_charge_power_w.*hearth inverter limits --device main --charge/)
})
