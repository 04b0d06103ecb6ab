import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balanceOf, sumEnergies } from './balance.ts'
import { noEnergies } from './quantities.ts'

const day = {
  pv_wh: 20_000,
  load_wh: 12_000,
  import_wh: 3000,
  export_wh: 9000,
  charge_wh: 6000,
  discharge_wh: 4800,
}

test('the figures of a balance follow from its energies', () => {
  const balance = balanceOf({ energies: day, known: 1, capacityWh: 9600, socBefore: 200, socAfter: 300 })
  assert.deepEqual([balance.self_sufficiency, balance.own_use, balance.battery_cycles], [0.75, 0.55, 0.5])
  assert.equal(balance.battery_loss_wh, 6000 - 4800 - 960)
  assert.equal(balance.conversion_loss_wh, 20_000 + 3000 + 4800 - 12_000 - 9000 - 6000)
})

test('a figure that needs what is not known is left open, and is not zero', () => {
  const balance = balanceOf({ energies: noEnergies, known: 0, capacityWh: null, socBefore: null, socAfter: null })
  assert.deepEqual(
    [balance.self_sufficiency, balance.own_use, balance.battery_cycles, balance.battery_loss_wh, balance.pv_wh],
    [null, null, null, null, null],
  )
  assert.equal(
    balanceOf({ energies: { ...day, load_wh: 0 }, known: 1, capacityWh: null, socBefore: null, socAfter: null })
      .self_sufficiency,
    null,
  )
  assert.deepEqual(sumEnergies([noEnergies, { ...noEnergies, pv_wh: 5 }]), { ...noEnergies, pv_wh: 5 })
})
