import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadProfile } from './load/load-profile.ts'
import { makePlan } from './make-plan.ts'
import { loadSolver } from './optimiser/solver.ts'
import { defaultSettings } from './plan-settings.ts'
import type { PlanSettings } from './schema.ts'
import { siteOf, type PlanInput } from './site-of.ts'

const zone = 'Europe/Berlin'
const evening = Date.parse('2026-11-26T20:05+01:00')
const at = (text: string) => Date.parse(`2026-11-${text}+01:00`)

const settings: PlanSettings = {
  ...defaultSettings,
  enabled: true,
  price_source: 'file',
  surcharge: 0.1,
  tax_percent: 20,
  charge_efficiency: 0.95,
  discharge_efficiency: 0.95,
  wear: 0.01,
}

/** An inverter with a battery. */
const known: PlanInput['devices'][number] = {
  id: 'a',
  soc: 0.15,
  capacityWh: 10_000,
  chargeW: 3000,
  dischargeW: 3000,
  minSoc: 0.07,
}

/** A winter's night: cheap from two to five, dear from six to nine the next evening. */
const input: PlanInput = {
  now: evening,
  zone,
  settings,
  devices: [known],
  market: Array.from({ length: 28 }, (_, index) => {
    const from = at('26T20:00') + index * 3_600_000
    const hour = (20 + index) % 24
    return { from, until: from + 3_600_000, price: hour >= 2 && hour < 5 ? 0.02 : hour >= 18 && hour < 21 ? 0.4 : 0.2 }
  }),
  forecast: [],
  profile: new LoadProfile([], zone),
  choices: [],
}

const solver = await loadSolver()
const make = async (more: Partial<PlanInput> = {}) => {
  const plan = await makePlan({ ...input, ...more }, (model) => Promise.resolve(solver(model)))
  assert.ok(plan !== undefined)
  return plan
}

test('a plan charges in the cheap hours, says why, and what it saves', async () => {
  const plan = await make()
  const charge = plan.blocks.find(({ action }) => action === 'charge')
  assert.ok(charge !== undefined)
  assert.ok(Date.parse(charge.start) >= at('27T02:00') && Date.parse(charge.end) <= at('27T05:00'))
  assert.match(charge.reason, /Cheap energy at 0.14, used up to 0.60 at 18:00/)
  assert.ok(charge.energy_wh > 2000 && charge.saving > 0.5)
  assert.ok(plan.expected_cost < plan.expected_cost_without - 0.5)
  assert.deepEqual([plan.steps[0]?.buy, plan.steps[4]?.buy], [0.6, 0.36])
  assert.equal(plan.until, new Date(at('28T00:00')).toISOString())
})

test('the reserve is held against the automatic mode, and a block set by hand is respected', async () => {
  const reserved = await make({ settings: { ...settings, reserve_percent: 15 } })
  assert.ok(reserved.steps.every(({ soc_percent }) => soc_percent >= 14.9))
  const choice = { device_id: 'a', from_at: at('27T02:00'), until_at: at('27T05:00'), action: 'hold' } as const
  const held = await make({ choices: [choice] })
  const block = held.blocks.find(({ is_by_hand }) => is_by_hand)
  assert.deepEqual([block?.action, block?.reason], ['hold', 'Set by hand.'])
  assert.ok(
    held.steps
      .filter(({ start }) => Date.parse(start) >= at('27T02:00') && Date.parse(start) < at('27T05:00'))
      .every(({ battery_w }) => battery_w === 0),
  )
})

test('without a price for this moment there is no plan', async () => {
  assert.equal(await makePlan({ ...input, market: [] }, (model) => Promise.resolve(solver(model))), undefined)
})

test('grid fees by time move the cheap hours', async () => {
  const fees = [{ days: 'daily', from: '02:00', to: '05:00', price: 0.5 } as const]
  const plan = await make({ settings: { ...settings, fees } })
  const charges = plan.blocks.filter(({ action }) => action === 'charge')
  assert.ok(charges.every(({ start, end }) => Date.parse(end) <= at('27T02:00') || Date.parse(start) >= at('27T05:00')))
})

test('a plan does not charge above what is set', async () => {
  const plan = await make({ settings: { ...settings, full_percent: 60 } })
  assert.ok(plan.steps.every(({ soc_percent }) => soc_percent <= 60.1))
  assert.equal(plan.blocks.find(({ action }) => action === 'charge')?.target_soc_percent, 60)
})

test('a discharge ends at the lowest state of charge of the inverter when that is above the reserve', async () => {
  const choice = { device_id: 'a', from_at: at('26T20:00'), until_at: at('26T21:00'), action: 'discharge' } as const
  const targetWith = async (minSoc: number, reserve: number) => {
    const devices = [{ ...known, soc: 0.8, minSoc }]
    const plan = await make({ devices, choices: [choice], settings: { ...settings, reserve_percent: reserve } })
    return plan.blocks.find(({ action }) => action === 'discharge')?.target_soc_percent
  }
  assert.equal(await targetWith(0.2, 7), 20)
  assert.equal(await targetWith(0.07, 15), 15)
})

test('a charge set by hand keeps to the limit of the grid connection with what the house is expected to take', async () => {
  const choice = { device_id: 'a', from_at: at('26T20:00'), until_at: at('26T21:00'), action: 'charge' } as const
  const devices = [{ ...known, chargeW: 5000 }]
  // The house takes 500 W, then 2000 W, then more than the grid connection gives.
  const loads = [500, 500, 2000, 3500]
  const profile = { at: (ms: number) => loads[Math.floor((ms - at('26T20:00')) / 900_000)] ?? 500 }
  const limited = await make({ devices, choices: [choice], profile, settings: { ...settings, grid_limit_w: 3000 } })
  const byHand = limited.blocks.filter(({ is_by_hand }) => is_by_hand)
  assert.deepEqual(
    byHand.map(({ action, power_w }) => [action, power_w]),
    [
      ['charge', 2500],
      ['charge', 1000],
      ['hold', null],
    ],
  )
  assert.deepEqual(
    limited.steps.slice(0, 4).map(({ grid_w }) => grid_w),
    [3000, 3000, 3000, 3500],
  )
  const free = await make({ devices, choices: [choice], profile })
  assert.equal(free.blocks.find(({ is_by_hand }) => is_by_hand)?.power_w, 5000)
})

test('a house that takes a little less each quarter hour does not lead a charge over the limit', async () => {
  const choice = { device_id: 'a', from_at: at('26T20:00'), until_at: at('26T23:00'), action: 'charge' } as const
  const profile = { at: (ms: number) => Math.max(500, 800 - ((ms - at('26T20:00')) / 900_000) * 25) }
  const devices = [{ ...known, capacityWh: 20_000, chargeW: 5000 }]
  const plan = await make({ devices, choices: [choice], profile, settings: { ...settings, grid_limit_w: 3000 } })
  assert.ok(plan.steps.every(({ grid_w }) => grid_w <= 3031))
})

test('with a forecast source a plan ends where the forecast does, and what is not forecast is not taken for darkness', async () => {
  const night = at('27T08:00')
  const forecast = [
    { from: at('26T20:00'), until: night, value: 0 },
    { from: night, until: at('27T16:00'), value: 4000 },
  ]
  const sunny = { ...input, settings: { ...settings, forecast_source: 'file' as const } }
  const plan = await make({ ...sunny, forecast })
  assert.equal(plan.until, new Date(at('27T16:00')).toISOString())
  assert.equal(plan.steps.length, 80)
  // With the sun of tomorrow unknown, nothing is bought in the night for what tomorrow takes.
  const short = siteOf({ ...sunny, forecast: forecast.slice(0, 1) })
  assert.equal(short?.known, 48)
  assert.equal(short?.site.steps.length, 48)
  // After the forecast the sun of the same time on the day before is assumed, as prices are.
  const long = siteOf({ ...sunny, forecast: [...forecast, { from: at('27T16:00'), until: at('28T06:00'), value: 0 }] })
  assert.equal(long?.known, 112)
  assert.equal(long?.site.steps[112 + 36]?.pvW, 4000)
  // Prices that are known count beyond the forecast.
  const market = input.market.map((price) =>
    price.from < at('27T20:00') ? price : Object.assign({}, price, { price: 0.9 }),
  )
  const dark = [...forecast, { from: at('27T16:00'), until: at('27T20:00'), value: 0 }]
  const priced = siteOf({ ...sunny, market, forecast: dark })
  assert.deepEqual([priced?.known, priced?.site.steps[100]?.buy], [96, 1.2])
  assert.equal(siteOf({ ...sunny, forecast: [] }), undefined)
  assert.equal(siteOf(input)?.known, 112)
})
