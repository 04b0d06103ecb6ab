import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { planRecords, recordKey, recordsOf, type NameRecord } from './plan-records.ts'

const names = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map((n) => `n${n}.test`))
const addresses = fc.uniqueArray(fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1'))
const records = fc.tuple(names, addresses).map(([all, at]) => recordsOf(all, at))
const byKey = (all: readonly NameRecord[]) => new Map(all.map((record) => [recordKey(record), record]))

test('a plan leads from any records to any others, and a second one is empty', () => {
  fc.assert(
    fc.property(records, records, (before, wanted) => {
      const actual = byKey(before)
      for (const { put, remove } of planRecords(wanted, actual)) {
        for (const record of remove) assert.ok(actual.delete(recordKey(record)))
        for (const record of put) actual.set(recordKey(record), record)
      }
      assert.deepEqual([...actual.keys()].sort(), wanted.map(recordKey).sort())
      assert.deepEqual(planRecords(wanted, actual), [])
    }),
  )
})

test('addresses have no records; each family has its type', () => {
  assert.deepEqual(
    recordsOf(['a.test', '*.a.test', '192.0.2.1', '2001:db8::1'], ['10.0.0.1', 'fd00::1']).map(recordKey),
    ['a.test A 10.0.0.1', 'a.test AAAA fd00::1', '*.a.test A 10.0.0.1', '*.a.test AAAA fd00::1'],
  )
})

test('refused records are left alone, batches are bounded, and a name moves within one', () => {
  const many = Array.from({ length: 2500 }, (_, n) => `n${n}.test`)
  const [before, wanted] = [recordsOf(many, ['10.0.0.1']), recordsOf(many, ['10.0.0.2'])]
  const batches = planRecords(wanted, byKey(before), new Map([['n0.test A 10.0.0.2', 'no']]))
  assert.equal(batches.flatMap(({ put }) => put).length, 2499)
  for (const { put, remove } of batches) {
    assert.ok(put.length <= 1000 && remove.length <= 1000)
    const removed = new Set(remove.map(({ name }) => name))
    assert.ok(put.every(({ name }) => removed.has(name)))
  }
})
