import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StemSplitRow } from '../tables.ts'
import {
  accountMark,
  newSeparation,
  noRecord,
  readSplitRecord,
  recordAfter,
  writeSplitRecord,
} from './separation-record.ts'

const origin = { source: 'tag-1', account: accountMark('KEY') }
const separation = { ...newSeparation(), stage: 'wait', sourceId: 's', taskId: 't' } as const
const row = (record: string, status: StemSplitRow['status'] = 'failed'): StemSplitRow => ({
  job_id: 'job',
  variant: '',
  status,
  record,
  lease_until: null,
  duration_ms: 1,
  updated_at: 1,
})

test('a separation resumes for the same audio and account', () => {
  const record = writeSplitRecord(origin, separation)
  assert.deepEqual(readSplitRecord(row(record), origin), separation)
  for (const status of ['failed', 'running'] as const) assert.equal(recordAfter(row(record, status), origin), record)
})

test('any other separation restarts with a new payment', () => {
  const record = writeSplitRecord(origin, separation)
  for (const [previous, wanted] of [
    [undefined, origin],
    [row(noRecord), origin],
    [row('{"source":"tag-1"}'), origin],
    [row(record), { ...origin, source: 'tag-2' }],
    [row(record), { ...origin, account: accountMark('OTHER') }],
    // Its stems are not there any more, and nothing of it is at the service.
    [row(record, 'done'), origin],
  ] as const) {
    const next = readSplitRecord({ record: recordAfter(previous, wanted) }, wanted)
    assert.equal(next?.stage, 'upload')
    assert.notEqual(next?.idempotencyKey, separation.idempotencyKey)
  }
})

test('the mark of an account does not reveal its key', () => {
  assert.ok(!accountMark('KEY').includes('KEY') && accountMark('KEY') !== accountMark('KEY2'))
})
