import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf } from './energy-flow.ts'

test('a day’s balance adds both strings, shows export as positive and computes self-sufficiency', () => {
  const counters: Record<string, number> = {
    energy_e_dc_day_0: 9000,
    energy_e_dc_day_1: 3000,
    energy_e_load_day: 8000,
    energy_e_grid_load_day: 2000,
    energy_e_grid_feed_day: -5000,
  }
  assert.deepEqual(
    dayOf((name) => counters[name]),
    {
      produced: 12_000,
      used: 8000,
      imported: 2000,
      exported: 5000,
      selfSufficiency: 0.75,
    },
  )
  assert.equal(dayOf(() => undefined).selfSufficiency, undefined)
  assert.equal(dayOf((name) => (name === 'energy_e_load_day' ? 0 : 5)).selfSufficiency, undefined)
})
