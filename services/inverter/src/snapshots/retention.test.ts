import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packPayload, unpackPayload } from './payload.ts'
import { beforeFirmware, surplusSnapshots } from './retention.ts'
import type { SnapshotFacts } from './store.ts'

const row = (id: number, values: Partial<SnapshotFacts> = {}): SnapshotFacts => ({
  id,
  device_id: 'main',
  origin: 'daily',
  state: 'complete',
  detail: null,
  name: null,
  note: null,
  taken_by: null,
  begun_at: id,
  finished_at: id,
  firmware: '2',
  serial: null,
  read_count: 0,
  failed_count: 0,
  total_count: 0,
  ...values,
})

test('the oldest automatic snapshots go first, then the oldest others; those with a name stay', () => {
  const rows = [
    row(6),
    row(5),
    row(4, { origin: 'manual' }),
    row(3, { name: 'Kept' }),
    row(2, { origin: 'manual' }),
    row(1),
  ]
  assert.deepEqual(surplusSnapshots(rows, 5), [])
  assert.deepEqual(surplusSnapshots(rows, 4), [1])
  assert.deepEqual(surplusSnapshots(rows, 2), [1, 5, 6])
  assert.deepEqual(surplusSnapshots(rows, 0), [1, 5, 6, 2, 4])
})

test('the newest snapshot under the previous firmware stays, and one that is read or compared with is not counted', () => {
  const rows = [
    row(5, { state: 'reading' }),
    row(4, { origin: 'current' }),
    row(3),
    row(2, { firmware: '1' }),
    row(1, { firmware: '1' }),
  ]
  assert.equal(beforeFirmware(rows)?.id, 2)
  assert.deepEqual(surplusSnapshots(rows, 1), [1, 3])
})

test('values are packed and unpacked, and a damaged text holds none', () => {
  const payload = { values: { a: 1.5, b: true, c: 'ü' }, failures: { d: 'unanswered' as const } }
  assert.deepEqual(unpackPayload(packPayload(payload)), payload)
  for (const text of ['', 'moon', packPayload(payload).slice(4)])
    assert.deepEqual(unpackPayload(text), { values: {}, failures: {} })
})
