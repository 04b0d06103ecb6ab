import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { loadCatalog } from '../catalog/catalog.ts'
import { migrations } from '../database/migrations/index.ts'
import { insertJournalRow } from '../journal/store.ts'
import type { JournalRow, Tables } from '../tables.ts'
import { compareSnapshots } from './compare-snapshots.ts'
import { packPayload } from './payload.ts'
import type { PackedSnapshot } from './store.ts'

const catalog = loadCatalog()
const strategy = 'power_mng_soc_strategy'
const [internal, external] = [4, 2]

type Value = number | boolean | string
type Write = Partial<Omit<JournalRow, 'old_value' | 'new_value' | 'readback_value'>> & {
  readonly at: number
  readonly value: Value
  readonly old?: Value
  readonly readback?: Value
}

const snapshot = (id: number, values: Record<string, Value>, times: Partial<PackedSnapshot> = {}): PackedSnapshot => ({
  id,
  device_id: 'main',
  origin: 'manual',
  state: 'complete',
  detail: null,
  name: null,
  note: null,
  taken_by: null,
  begun_at: id * 100,
  finished_at: id * 100 + 10,
  firmware: '1',
  serial: 'A',
  read_count: 1,
  failed_count: 0,
  total_count: 1,
  payload: packPayload({ values, failures: {} }),
  ...times,
})

/** Who changed what between two snapshots, with these writes in the journal. */
async function whoChanged(first: PackedSnapshot, second: PackedSnapshot, writes: readonly Write[]) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const json = (value: Value | undefined) => (value === undefined ? null : JSON.stringify(value))
  for (const { value, old, readback, ...facts } of writes)
    await insertJournalRow(database.query, {
      device_id: 'main',
      metric: strategy,
      outcome: 'confirmed',
      cause: 'dispatch',
      caller: null,
      operation_id: null,
      ...facts,
      old_value: json(old),
      new_value: JSON.stringify(value),
      readback_value: json(readback),
    })
  const { differences } = await compareSnapshots({ db: database.query, catalog }, first, second)
  await database.close()
  return differences.map(({ origin, write }) => [origin, write === null ? null : Date.parse(write.at)])
}

test('the newest write of a parameter explains its value, and an older one of the same value does not', async () => {
  const pair = [snapshot(1, { [strategy]: internal }), snapshot(2, { [strategy]: external })] as const
  const writes = [
    { at: 120, value: external },
    { at: 130, value: internal },
  ]
  assert.deepEqual(await whoChanged(...pair, writes), [['not_ordered', null]])
  assert.deepEqual(await whoChanged(...pair, [...writes, { at: 140, value: external }]), [['written_here', 140]])
  const failed = { at: 140, value: 0, outcome: 'failed' } as const
  assert.deepEqual(await whoChanged(...pair, [{ at: 120, value: external }, failed]), [['written_here', 120]])
})

test('a value that the inverter made of what was written here is not told as somebody else’s', async () => {
  const pair = [snapshot(1, { [strategy]: internal }), snapshot(2, { [strategy]: 3 })] as const
  const clamped = { at: 120, value: 9, old: internal, readback: 3, outcome: 'unconfirmed' } as const
  assert.deepEqual(await whoChanged(...pair, [clamped]), [['written_here', 120]])
  assert.deepEqual(await whoChanged(...pair, [{ ...clamped, readback: 5 }]), [['not_ordered', null]])
})

test('a write without effect takes the place of none before it', async () => {
  const pair = [snapshot(1, { [strategy]: internal }), snapshot(2, { [strategy]: external })] as const
  const without = { at: 130, value: 0, old: external, readback: external, outcome: 'unconfirmed' } as const
  assert.deepEqual(await whoChanged(...pair, [{ at: 120, value: external }, without]), [['written_here', 120]])
  assert.deepEqual(await whoChanged(...pair, [without]), [['not_ordered', null]])
  // It took effect later than it was read back.
  const late = { at: 120, value: external, old: internal, readback: internal, outcome: 'unconfirmed' } as const
  assert.deepEqual(await whoChanged(...pair, [late]), [['written_here', 120]])
})

test('a pair in the wrong order, and a snapshot resumed after a newer one, have the same authors', async () => {
  const [older, newer] = [snapshot(1, { [strategy]: internal }), snapshot(2, { [strategy]: external })]
  const write = { at: 150, value: external }
  assert.deepEqual(await whoChanged(newer, older, [write]), [['written_here', 150]])
  assert.deepEqual(await whoChanged(newer, older, [write, { at: 160, value: internal }]), [['not_ordered', null]])
  // Begun before the newer one and complete after it: a value may be from before or after.
  const resumed = { ...older, finished_at: 300 }
  for (const [first, second] of [[resumed, newer] as const, [newer, resumed] as const]) {
    assert.deepEqual(await whoChanged(first, second, [write]), [['written_here', 150]])
    assert.deepEqual(await whoChanged(first, second, [{ at: 250, value: internal }]), [['written_here', 250]])
    assert.deepEqual(await whoChanged(first, second, []), [['not_ordered', null]])
  }
})
