import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { createTestLog, entryOf } from '../../test/query-log-fixture.ts'
import type { LogEntry } from '../dns/log-ring.ts'
import type { NodeQueryBatch } from './node-batches.ts'
import { QueryLog } from './query-log.ts'

const day = 86_400_000
const [nodeId, count] = ['019b0000-0000-7000-8000-000000000001', '6f6de1f6-90a1-4f0d-8d9e-5a4f0f6c1a11']

const batchOf = (number: number, entries: readonly LogEntry[], upstreams: readonly string[] = []): NodeQueryBatch => ({
  nodeId,
  count,
  number,
  upstreams,
  entries,
})

async function withLog(work: (log: QueryLog, file: string) => Promise<void>): Promise<void> {
  await using folder = await temporaryDirectory('node-batches')
  const file = join(folder.path, 'query-log.db')
  const log = new QueryLog({ file, clock: systemClock })
  try {
    await work(log, file)
  } finally {
    await log.close()
  }
}

const namesOf = async (log: QueryLog, limit = 100) =>
  (await log.list({}, { limit, offset: 0 })).rows.map(({ domain }) => domain)

test('queries that come hours later stand among those of their time', () =>
  withLog(async (log, file) => {
    const { writer, log: write } = createTestLog(file)
    const now = Date.now()
    const begin = now - 7_200_000
    for (let n = 0; n < 20_000; n += 2000)
      write(...Array.from({ length: 2000 }, (_, k) => ({ name: `home-${n + k}`, at: begin + (n + k) * 100 })))
    assert.equal((await log.list({}, { limit: 1, offset: 0 })).total, 20_000)
    const late = Array.from({ length: 1500 }, (_, k) => entryOf({ name: `node-${k}`, at: begin + k * 1200 + 50 }))
    assert.deepEqual(writer.takeBatch(batchOf(1, late), now), { count: 1500, last: 1 })
    const seen: { at: number; id: number; domain: string }[] = []
    for (let before: number | undefined; ; before = seen.at(-1)?.id) {
      const { rows, total } = await log.list({}, { limit: 1000, offset: 0, before })
      assert.equal(total, 21_500)
      if (rows.length === 0) break
      seen.push(...rows)
    }
    assert.equal(new Set(seen.map(({ domain }) => domain)).size, 21_500)
    assert.ok(seen.every(({ at }, index) => at <= (seen[index - 1]?.at ?? Infinity)))
    const from = begin + 100_000
    const { total } = await log.list({ domain: 'node-', start: from, end: from + 120_000 }, { limit: 1, offset: 0 })
    assert.equal(total, 100)
    writer.close()
  }))

test('whatever comes from here and from nodes, the log has each query once, in the order of time', async () => {
  const at = fc.integer({ min: 0, max: 4000 })
  const step = fc.oneof(
    fc.record({ home: fc.array(fc.constant(0), { maxLength: 60 }) }),
    fc.record({ late: fc.array(at, { maxLength: 60 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) =>
      withLog(async (log, file) => {
        const { writer, log: write } = createTestLog(file)
        const begin = Date.now() - day
        let [home, number, clock] = [0, 0, 0]
        for (const each of steps) {
          if ('home' in each) write(...each.home.map(() => ({ name: `q${home++}`, at: begin + (clock += 97) })))
          else {
            number += 1
            const batch = batchOf(
              number,
              each.late.map((ms) => entryOf({ name: `q${home++}`, at: begin + (ms % (clock + 1)) })),
            )
            writer.takeBatch(batch, Date.now())
            // The answer was lost, so it comes again.
            assert.equal(writer.takeBatch(batch, Date.now())?.count, 0)
          }
        }
        const { rows, total } = await log.list({}, { limit: 1000, offset: 0 })
        assert.equal(total, home)
        assert.equal(new Set(rows.map(({ domain }) => domain)).size, home)
        assert.ok(rows.every((row, index) => row.at <= (rows[index - 1]?.at ?? Infinity)))
        assert.ok(rows.every((row, index) => row.id < (rows[index - 1]?.id ?? Infinity)))
        writer.close()
      }),
    ),
    { numRuns: 30 },
  )
})

test('blocks that are cut stay searchable, and what is too old goes from all of them', () =>
  withLog(async (log, file) => {
    const { writer, log: write, settle } = createTestLog(file, { days: 1 })
    const now = Date.now()
    for (let n = 0; n < 17_000; n += 1000)
      write(...Array.from({ length: 1000 }, (_, k) => ({ name: `home-${n + k}`, at: now - 3_600_000 + n + k })))
    for (let number = 1; number <= 9; number += 1) {
      const late = Array.from({ length: 2000 }, (_, k) =>
        entryOf({ name: `node-${number}-${k}`, at: now - 3_600_000 + k }),
      )
      assert.equal(writer.takeBatch(batchOf(number, late), now)?.count, 2000)
      assert.equal((await log.list({ domain: `node-${number}-` }, { limit: 1, offset: 0 })).total, 2000)
    }
    assert.equal((await log.list({}, { limit: 1, offset: 0 })).total, 35_000)
    writer.retain(now + day - 3_600_000 + 16_000)
    settle()
    const { rows, total } = await log.list({}, { limit: 2000, offset: 0 })
    assert.equal(total, 1000)
    assert.ok(rows.every(({ domain }) => domain.startsWith('home-16')))
    writer.close()
  }))

test('queries of a time that is full are lost and counted, and the log keeps the rest', () =>
  withLog(async (log, file) => {
    const { writer, log: write, settle } = createTestLog(file)
    const now = Date.now()
    const then = now - 3 * day
    // A clock that stood still: no number is free between these.
    for (let n = 0; n < 20_000; n += 2000)
      write(...Array.from({ length: 2000 }, (_, k) => ({ name: `then-${n + k}`, at: then })))
    for (let n = 0; n < 4000; n += 2000)
      write(...Array.from({ length: 2000 }, (_, k) => ({ name: `home-${n + k}`, at: now - 60_000 + n + k })))
    for (let number = 1; number <= 5; number += 1) {
      const late = Array.from({ length: 2000 }, (_, k) => entryOf({ name: `node-${number}-${k}`, at: then + 5 }))
      assert.deepEqual(writer.takeBatch(batchOf(number, late), now), { count: 0, last: number })
    }
    assert.equal(writer.lost, 10_000)
    assert.equal((await log.list({}, { limit: 1, offset: 0 })).total, 24_000)
    writer.retention.days = 2
    writer.retain(now)
    settle()
    assert.equal((await log.list({ domain: 'home-' }, { limit: 1, offset: 0 })).total, 4000)
    assert.equal((await log.list({}, { limit: 1, offset: 0 })).total, 4000)
    writer.close()
  }))

test('entries show as they are after the newest ones went and as many others came', () =>
  withLog(async (log, file) => {
    const { writer, log: write, purge } = createTestLog(file)
    const fill = (name: string, client: number, names = 8192) => {
      for (let n = 0; n < 8192; n += 2048)
        write(
          ...Array.from({ length: 2048 }, (_, k) => ({ name: `${name}-${(n + k) % names}`, client, at: Date.now() })),
        )
    }
    const countOf = async (domain: string) => (await log.list({ domain }, { limit: 1, offset: 0 })).total
    fill('kept', 1)
    fill('gone', 2)
    assert.equal(await countOf('gone-'), 8192)
    purge({ before: Date.now() + 60_000, client: 2 })
    fill('new', 1, 3)
    assert.deepEqual([await countOf('kept-'), await countOf('gone-'), await countOf('new-')], [8192, 0, 8192])
    writer.close()
  }))

test('a batch counts once, also when the log is opened again in between', () =>
  withLog(async (log, file) => {
    const first = createTestLog(file)
    const now = Date.now()
    const batch = batchOf(7, [entryOf({ name: 'once.example', at: now - 5000 })])
    assert.deepEqual(first.writer.takeBatch(batch, now), { count: 1, last: 7 })
    first.writer.close()
    const second = createTestLog(file)
    assert.deepEqual(second.writer.takeBatch(batch, now), { count: 0, last: 7 })
    assert.deepEqual(second.writer.takeBatch(batchOf(3, batch.entries), now), { count: 0, last: 7 }, 'an older one')
    const other = { ...batch, count: 'a9c6b3f7-8d4e-4c6f-9d5e-2b1a0c9d8e7f' }
    assert.deepEqual(second.writer.takeBatch(other, now), { count: 1, last: 7 }, 'of another count')
    assert.equal((await namesOf(log)).length, 2)
    second.writer.close()
  }))

test('what was deleted does not come back from a node', () =>
  withLog(async (log, file) => {
    const { writer, log: write, purge } = createTestLog(file)
    const now = Date.now()
    write({ name: 'seen.example', at: now - 9000, client: 1 }, { name: 'other.example', at: now - 9000, client: 2 })
    purge({ before: now - 4000, client: 1 })
    const late = [
      entryOf({ name: 'forgotten.example', at: now - 5000, client: 1 }),
      entryOf({ name: 'kept.example', at: now - 5000, client: 2 }),
      entryOf({ name: 'later.example', at: now - 3000, client: 1 }),
    ]
    assert.equal(writer.takeBatch(batchOf(1, late), now)?.count, 2)
    assert.deepEqual(await namesOf(log), ['later.example', 'kept.example', 'other.example'])
    purge({ before: now, client: null })
    assert.equal(writer.takeBatch(batchOf(2, late), now)?.count, 0)
    assert.deepEqual(await namesOf(log), [])
    writer.close()
  }))

test('the retention holds for what nodes send, and labels of upstreams are those of here', () =>
  withLog(async (log, file) => {
    const { writer, log: write } = createTestLog(file, { days: 2 })
    const now = Date.now()
    writer.useUpstreams(['9.9.9.9', '1.1.1.1'])
    write({ name: 'home.example', at: now - 9000, upstream: 2 })
    const late = [
      entryOf({ name: 'old.example', at: now - 3 * day }),
      entryOf({ name: 'a.example', at: now - 3000, upstream: 1 }),
      entryOf({ name: 'b.example', at: now - 2000, upstream: 2 }),
      entryOf({ name: 'c.example', at: now - 1000, upstream: 0 }),
    ]
    assert.equal(writer.takeBatch(batchOf(1, late, ['9.9.9.9', 'made.up']), now)?.count, 3)
    const { rows } = await log.list({}, { limit: 10, offset: 0 })
    assert.deepEqual(
      rows.map(({ domain, upstream }) => [domain, upstream]),
      [
        ['c.example', null],
        ['b.example', null],
        ['a.example', '9.9.9.9'],
        ['home.example', '1.1.1.1'],
      ],
    )
    writer.retention.days = 0
    assert.equal(writer.takeBatch(batchOf(2, late), now)?.count, 0)
    writer.close()
  }))
