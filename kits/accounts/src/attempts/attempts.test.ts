import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase, type Database } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { createAttempts } from './attempts.ts'
import type { AttemptTables } from './store.ts'

const windows = [
  { limit: 3, windowSeconds: 60 },
  { limit: 5, windowSeconds: 3600 },
]

async function openEmpty(kind: 'sqlite' | 'postgres'): Promise<Database<AttemptTables>> {
  const database = openDatabase<AttemptTables>(
    kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
  )
  await database.query.schema
    .createTable('attempts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  return database
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('each key is limited by both time windows', async () => {
      const database = await openEmpty(kind)
      const clock = createManualClock(1_800_000_000_000)
      const attempts = createAttempts(database.query, clock)
      const take = (key = 'one') => attempts.take(key, windows)
      assert.deepEqual(await take(), { allowed: true, limit: 3, remaining: 2, windowSeconds: 60, retryAfterSeconds: 0 })
      clock.advance(10_000)
      await take()
      await take()
      const refused = await take()
      assert.deepEqual([refused.allowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 50])
      assert.equal((await take('two')).allowed, true)
      clock.advance(50_000)
      assert.equal((await take()).allowed, true)
      clock.advance(60_000)
      assert.equal((await take()).remaining, 0)
      const hour = await take()
      assert.deepEqual([hour.allowed, hour.windowSeconds, hour.retryAfterSeconds], [false, 3600, 3480])
      clock.advance(3_480_000)
      assert.equal((await take()).allowed, true)
      await database.close()
    })

    test('refunded attempts do not count; concurrent ones count one by one', async () => {
      const database = await openEmpty(kind)
      const attempts = createAttempts(database.query, createManualClock(1_800_000_000_000))
      for (let index = 0; index < 8; index += 1) {
        assert.equal((await attempts.take('one', windows)).allowed, true)
        await attempts.refund('one')
      }
      await attempts.refund('one')
      const answers = await Promise.all(Array.from({ length: 10 }, () => attempts.take('one', windows)))
      assert.equal(answers.filter(({ allowed }) => allowed).length, 3)
      await database.close()
    })

    test('counts survive a restart, and a clock set back does not extend a lock-out', async () => {
      const database = await openEmpty(kind)
      const clock = createManualClock(1_800_000_000_000)
      for (let index = 0; index < 3; index += 1) await createAttempts(database.query, clock).take('one', windows)
      assert.equal((await createAttempts(database.query, clock).take('one', windows)).allowed, false)
      clock.jump(-86_400_000)
      assert.equal((await createAttempts(database.query, clock).take('one', windows)).allowed, true)
      await database.close()
    })

    test('the number of keys is bounded: beyond it new keys share a count and known keys keep theirs', async () => {
      const database = await openEmpty(kind)
      const clock = createManualClock(1_800_000_000_000)
      const attempts = createAttempts(database.query, clock, { maxRows: 20 })
      await attempts.take('known', windows)
      const allowed: boolean[] = []
      for (let index = 0; index < 40; index += 1) allowed.push((await attempts.take(`flood ${index}`, windows)).allowed)
      assert.equal(allowed.filter(Boolean).length, 22)
      assert.equal((await attempts.take('known', windows)).allowed, true)
      const { count } = await database.query
        .selectFrom('attempts')
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      assert.equal(count, 24)
      // Keys expire and free their rows.
      clock.advance(3_600_001)
      assert.equal((await attempts.take('late', windows)).allowed, true)
      await database.close()
    })
  })
