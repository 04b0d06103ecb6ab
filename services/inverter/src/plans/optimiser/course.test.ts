import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automatic, courseOf } from './course.ts'
import { optimalPowers } from './optimise.ts'
import type { Action, Battery, Site, Step } from './site.ts'
import { loadSolver } from './solver.ts'

const battery: Battery = {
  storedWh: 5000,
  reserveWh: 700,
  emptyWh: 700,
  fullWh: 10_000,
  chargeUntilWh: 9500,
  chargeW: 3000,
  dischargeW: 3500,
  chargeEfficiency: 0.96,
  dischargeEfficiency: 0.96,
  wear: 0.01,
}

const siteOf = (step: Partial<Step>): Site => ({
  steps: [{ hours: 0.25, loadW: 300, pvW: 0, buy: 0.3, sell: 0.08, ...step }],
  batteries: [battery, battery],
  gridLimitW: null,
  feedInLimitW: null,
  endValue: 0.4,
})

test('a charge goes before an inverter that decides itself, whatever their order', () => {
  const charge: Action = { kind: 'charge', watts: 3000, untilWh: 9500 }
  const powersOf = (...actions: Action[]) => courseOf(siteOf({}), [actions]).steps[0]?.batteryW
  assert.deepEqual(powersOf(automatic, charge), [3300, -3000])
  assert.deepEqual(powersOf(charge, automatic), [-3000, 3300])
})

test('two batteries that are set to automatic share the surplus of the sun, and buy nothing', async () => {
  const solver = await loadSolver()
  const site = siteOf({ pvW: 1300, wanted: ['automatic', 'automatic'] })
  const powers = await optimalPowers(site, (model) => Promise.resolve(solver(model)))
  const sum = powers.reduce((total, [watts]) => total + (watts ?? 0), 0)
  assert.ok(Math.abs(sum + 1000) < 1, `${sum} W`)
})
