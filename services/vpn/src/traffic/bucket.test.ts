import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addToBucket, bucketStart, emptyBucket, hostOfEndpoint, steps, tiers } from './bucket.ts'
import { maxPoints, periodOf } from './history.ts'

const moment = fc.integer({ min: 0, max: Date.parse('2200-01-01T00:00:00Z') })
const anyLength = fc.constantFrom(...Object.values(tiers), ...Object.values(steps))

test('a bucket holds the time it is found by, and buckets meet without gap or overlap', () => {
  fc.assert(
    fc.property(moment, anyLength, (at, seconds) => {
      const start = bucketStart(at, seconds)
      assert.ok(start <= at && at < start + seconds * 1000)
      assert.equal(bucketStart(start, seconds), start)
      assert.equal(bucketStart(start + seconds * 1000, seconds), start + seconds * 1000)
    }),
  )
})

test('boundaries are in UTC, weeks begin on Monday, and daylight saving has no effect', () => {
  const zone = process.env['TZ']
  process.env['TZ'] = 'Europe/Berlin'
  try {
    for (const day of ['2026-03-29', '2026-10-25', '2024-02-29', '2026-12-31', '2027-01-01']) {
      const at = Date.parse(`${day}T13:14:15.160Z`)
      assert.equal(new Date(bucketStart(at, steps.daily)).toISOString(), `${day}T00:00:00.000Z`)
      assert.equal(new Date(bucketStart(at, steps.hourly)).toISOString(), `${day}T13:00:00.000Z`)
      const week = new Date(bucketStart(at, steps.weekly))
      assert.deepEqual([week.getUTCDay(), week.toISOString().slice(10)], [1, 'T00:00:00.000Z'])
      assert.equal(bucketStart(week.getTime(), steps.daily), week.getTime())
    }
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

test('a period consists of all buckets it touches', () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 300 * 86_400_000 }), anyLength, (start, span, seconds) => {
      fc.pre(span / 1000 / seconds < maxPoints - 2)
      const { from, until } = periodOf({ start, end: start + span }, seconds, 0)
      assert.ok(from <= start && start < from + seconds * 1000)
      assert.ok(until >= start + span && until < start + span + seconds * 1000)
    }),
  )
})

test('the default period is the last 24 hours in 24 buckets', () => {
  fc.assert(
    fc.property(moment, (now) => {
      const { from, until, end } = periodOf({}, steps.hourly, now + 86_400_000)
      assert.equal(end, now + 86_400_000)
      assert.ok([24, 23].includes((until - from) / 3_600_000), 'at a full hour the one that begins has nothing in it')
    }),
  )
})

test('a period that ends before it begins gets 400, too many points 422', () => {
  const kind = (expected: string) => (error: unknown) => (error as { kind: string }).kind === expected
  const hour = 3_600_000
  assert.throws(() => periodOf({ start: 5, end: 5 }, 3600, 9), kind('bad-request'))
  assert.throws(() => periodOf({ start: 6, end: 5 }, 3600, 9), kind('bad-request'))
  assert.throws(() => periodOf({ start: 10 }, 3600, 9), kind('bad-request'))
  assert.doesNotThrow(() => periodOf({ start: 0, end: maxPoints * hour }, 3600, 9))
  assert.throws(() => periodOf({ start: 0, end: maxPoints * hour + 1 }, 3600, 9), kind('invalid'))
})

test('a peer that roams across many hosts is counted completely', () => {
  const bucket = emptyBucket(0)
  for (let host = 0; host < 1000; host += 1) addToBucket(bucket, { rx: 1, tx: 2, activeMs: 3 }, `192.0.2.${host}`)
  assert.deepEqual([bucket.rx, bucket.tx, bucket.activeMs], [1000, 2000, 3000])
  assert.ok(bucket.from.length <= 17)
  assert.equal(
    bucket.from.reduce((sum, { rx }) => sum + rx, 0),
    1000,
  )
})

test('the host is extracted from an endpoint', () => {
  assert.equal(hostOfEndpoint('192.0.2.1:51820'), '192.0.2.1')
  assert.equal(hostOfEndpoint('[2001:db8::1]:51820'), '2001:db8::1')
  assert.equal(hostOfEndpoint(null), '')
  assert.equal(hostOfEndpoint('?'), '')
})
