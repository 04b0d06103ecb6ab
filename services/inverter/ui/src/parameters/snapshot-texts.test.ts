import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Snapshot } from '../api.ts'
import { beforeUpdate, chosenPair, originText, sideText } from './snapshot-texts.ts'

const snapshot = (id: number, values: Partial<Snapshot> = {}): Snapshot => ({
  id,
  device_id: 'main',
  origin: 'manual',
  state: 'complete',
  detail: null,
  name: null,
  note: null,
  taken_by: null,
  begun_at: '2026-11-01T00:00:00.000Z',
  finished_at: null,
  firmware: '5687',
  serial: null,
  read: 1,
  failed: 0,
  total: 1,
  ...values,
})

test('the newest two complete snapshots are compared unless the address names others', () => {
  const all = [snapshot(4, { state: 'reading' }), snapshot(3), snapshot(2), snapshot(1)]
  const ids = (address: { from: string | null; to: string | null }) => {
    const pair = chosenPair(all, address)
    return pair && [pair.from.id, pair.to.id]
  }
  assert.deepEqual(ids({ from: null, to: null }), [2, 3])
  assert.deepEqual(ids({ from: '1', to: null }), [1, 3])
  assert.deepEqual(ids({ from: '1', to: '2' }), [1, 2])
  assert.deepEqual(ids({ from: '99', to: null }), [2, 3])
  assert.equal(chosenPair([snapshot(1)], { from: null, to: null }), undefined)
})

test('the snapshot from before an update is the newest one under another firmware', () => {
  const old = snapshot(2, { firmware: '5600' })
  assert.equal(beforeUpdate([snapshot(4), snapshot(3), old, snapshot(1, { firmware: '5500' })]), old)
  assert.equal(beforeUpdate([snapshot(4), snapshot(3)]), undefined)
})

test('a difference says its values with words and units, and who changed them', () => {
  const difference = {
    name: 'power_mng_soc_strategy',
    vendor_name: 'power_mng.soc_strategy',
    group: 'power_mng',
    kind: 'setting',
    unit: null,
    before: 4,
    before_label: 'schedule_and_mixed',
    after: 2,
    after_label: null,
    origin: 'written_here',
    write: { at: '2026-11-01T00:00:00.000Z', cause: 'dispatch', caller: null },
  } as const
  assert.deepEqual(
    [sideText(difference, 'before'), sideText(difference, 'after'), originText(difference).text],
    ['schedule and mixed (4)', '2', 'Written by battery control'],
  )
  assert.equal(originText({ origin: 'not_ordered', write: null }).text, 'Nobody here ordered this')
})
