import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { main, startGateway, type TestGateway } from './in-process.ts'
import { noonTimers } from './history-fixture.ts'
import { configurePlans, planWhen, writePrices } from './plans-fixture.ts'

async function dispatchOf(
  gateway: TestGateway,
): Promise<{ state: string; mode: string | null; operation_id: string | null }> {
  return JSON.parse((await gateway.call('GET', main('/battery/dispatch'))).text) as never
}

const dispatchWhen = (gateway: TestGateway, state: string) =>
  eventually(
    () => dispatchOf(gateway),
    (dispatch) => dispatch.state === state,
    { what: state, seconds: 60, everyMs: 200 },
  )

/** A gateway with a plan that charges now, and carries it out. */
async function charging(gateway: TestGateway): Promise<void> {
  await gateway.isReady()
  await gateway.allowDispatch()
  writePrices(gateway, 30, (hour) => (hour < 3 ? 0.05 : hour < 8 ? 0.9 : 0.3))
  await configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: true })
  await dispatchWhen(gateway, 'charging')
}

test('a plan is carried out by dispatch, and switching it off gives the inverter back', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  const plan = await planWhen(gateway, ({ status }) => status.carrying === 'plan', 'the plan at work')
  assert.equal(plan.plan?.blocks[0]?.action, 'charge')
  await configurePlans(gateway, { enabled: true, carries_out: false })
  assert.equal((await dispatchOf(gateway)).state, 'idle')
})

test('after a clock that was a year ahead is corrected, a plan for now is made and carried out', async () => {
  const year = 365 * 86_400_000
  const timers = noonTimers(20)
  timers.jump(year)
  await using gateway = await startGateway({ timers })
  await gateway.isReady()
  await gateway.allowDispatch()
  const windows = [{ days: 'daily', from: '00:00', to: '15:00', price: 0.05 }]
  await configurePlans(gateway, { enabled: true, price_source: 'fixed', fixed_price: 0.9, windows, carries_out: true })
  await dispatchWhen(gateway, 'charging')
  await gateway.call('DELETE', main('/battery/dispatch'))
  timers.jump(-year)
  const { plan } = await planWhen(
    gateway,
    ({ plan }) => plan !== null && Date.parse(plan.blocks[0]?.start ?? '') < timers.now() + 86_400_000,
    'a plan for now',
  )
  assert.equal(plan?.blocks[0]?.action, 'charge')
  await dispatchWhen(gateway, 'charging')
})

test('what a person stops or starts goes before the plan', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  const valid = new Date(gateway.timers.now() + 3_600_000).toISOString()
  await gateway.call('POST', main('/battery/dispatch'), { mode: 'hold', valid_until: valid })
  await planWhen(gateway, ({ status }) => status.carrying === 'person', 'a person first')
  assert.equal((await dispatchOf(gateway)).mode, 'hold')
  await gateway.call('DELETE', main('/battery/dispatch'))
  await dispatchWhen(gateway, 'charging')
  await gateway.call('DELETE', main('/battery/dispatch'))
  const stopped = await planWhen(gateway, ({ status }) => status.carrying === 'person', 'the stop respected')
  assert.match(stopped.status.carrying_detail ?? '', /stopped this part/)
  await gateway.operate('POST', '/admin/api/plan/devices/main/renew')
  assert.equal((await dispatchOf(gateway)).state, 'idle')
})

test('what a person starts while the plan is about to start goes before it, and is not ended with it', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  const valid = new Date(gateway.timers.now() + 3_600_000).toISOString()
  const hold = () => gateway.call('POST', main('/battery/dispatch'), { mode: 'hold', valid_until: valid })
  // Both wait for the inverter at the same time, whichever comes first.
  const off = configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: false })
  const [held] = await Promise.all([hold(), off])
  assert.equal(held.status, 200, held.text)
  assert.deepEqual([(await dispatchOf(gateway)).state, (await dispatchOf(gateway)).mode], ['holding', 'hold'])
  await gateway.call('DELETE', main('/battery/dispatch'))
  const on = configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: true })
  const [again] = await Promise.all([hold(), on])
  assert.equal(again.status, 200, again.text)
  await planWhen(gateway, ({ status }) => status.carrying === 'person', 'the person first')
  assert.equal((await dispatchOf(gateway)).mode, 'hold')
})

test('a part that a person stopped stays stopped when settings change, until a choice by hand', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  await gateway.call('DELETE', main('/battery/dispatch'))
  await planWhen(gateway, ({ status }) => status.carrying === 'person', 'the stop respected')
  await configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: true, wear: 0.021 })
  await gateway.operate('POST', '/admin/api/plan/devices/main/renew')
  const after = await planWhen(gateway, ({ status }) => status.carrying === 'person', 'the stop still respected')
  assert.match(after.status.carrying_detail ?? '', /stopped this part/)
  const start = new Date(gateway.timers.now() - 60_000).toISOString()
  const end = new Date(gateway.timers.now() + 7_200_000).toISOString()
  await gateway.operate('PUT', '/admin/api/plan/devices/main/choices', { choices: [{ start, end, action: 'hold' }] })
  await dispatchWhen(gateway, 'holding')
})

test('a plan does not move to another inverter when its own is removed', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  const { settings } = (await gateway.operate('GET', '/admin/api/plan')) as { settings: { device_id: string } }
  assert.equal(settings.device_id, 'main')
  const other = { device_id: 'other', display_name: 'Other', host: '127.0.0.1', port: 9 }
  await gateway.operate('POST', '/admin/api/devices', other)
  await gateway.operate('DELETE', '/admin/api/devices/main')
  const left = (await gateway.operate('GET', '/admin/api/plan')) as { settings: Record<string, unknown> }
  const { enabled, carries_out, device_id } = left.settings
  assert.deepEqual([enabled, carries_out, device_id], [false, false, ''])
})

test('a pause hands back at once and ends by itself; a choice by hand is carried out', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  const until = new Date(gateway.timers.now() + 120_000).toISOString()
  await gateway.operate('PUT', '/admin/api/plan/devices/main/pause', { until })
  assert.equal((await dispatchOf(gateway)).state, 'idle')
  await dispatchWhen(gateway, 'charging')
  const start = new Date(gateway.timers.now() - 60_000).toISOString()
  const end = new Date(gateway.timers.now() + 7_200_000).toISOString()
  await gateway.operate('PUT', '/admin/api/plan/devices/main/choices', { choices: [{ start, end, action: 'hold' }] })
  await dispatchWhen(gateway, 'holding')
})

test('without prices, and without permission to write, the inverter decides by itself', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  writePrices(gateway, 0, () => 0)
  await gateway.operate('POST', '/admin/api/plan/devices/main/renew')
  // The prices that are known already still hold.
  assert.equal((await dispatchOf(gateway)).state, 'charging')
  await configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: true, currency: 'SEK' })
  const without = await planWhen(gateway, ({ status }) => status.missing.length > 0, 'no prices')
  assert.equal(without.plan, null)
  assert.equal((await dispatchOf(gateway)).state, 'idle')
  writePrices(gateway, 30, (hour) => (hour < 3 ? 0.05 : hour < 8 ? 0.9 : 0.3))
  await gateway.operate('PUT', '/admin/api/write-access', { enabled: false })
  await gateway.operate('POST', '/admin/api/plan/devices/main/renew')
  const refused = await planWhen(gateway, ({ status }) => status.carrying === 'failed', 'the refusal')
  assert.match(refused.status.carrying_detail ?? '', /Write access is off/)
})

test('a forecast that does not come, and an inverter that falls silent, leave the automatic mode', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await charging(gateway)
  await configurePlans(gateway, {
    enabled: true,
    price_source: 'file',
    carries_out: true,
    forecast_source: 'file',
  })
  const without = await planWhen(gateway, ({ status }) => status.missing.length > 0, 'no forecast')
  assert.match(without.status.missing.join(' '), /no forecast of the sun: there is no plans\/solar.csv/)
  assert.equal((await dispatchOf(gateway)).state, 'idle')
  await configurePlans(gateway, { enabled: true, price_source: 'file', carries_out: true, forecast_source: 'none' })
  await dispatchWhen(gateway, 'charging')
  gateway.inverter.setFaults({ silent: true })
  await planWhen(gateway, ({ status }) => ['failed', 'automatic'].includes(status.carrying), 'the plan to give up')
  gateway.inverter.setFaults({ silent: false })
  await dispatchWhen(gateway, 'idle')
})
