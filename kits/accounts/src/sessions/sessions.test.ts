import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { endSessionsOf, SessionStore, type SessionPolicy } from './sessions.ts'
import { describeOwnSessions } from './own-sessions.ts'
import type { OwnerColumn, SessionRow } from './store.ts'
import { addSessionOrigin } from './tables.ts'

const hour = 3_600_000

interface Tables {
  sessions: SessionRow<'user_id', { proved_at: number }>
}

async function open(kind: 'sqlite' | 'postgres', policy: Partial<SessionPolicy> = {}) {
  const location = kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
  const database = openDatabase<Tables>(location)
  const owner: OwnerColumn = policy.owner ?? 'user_id'
  await database.query.schema
    .createTable('sessions')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn(owner, 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .addColumn('proved_at', 'bigint', (column) => column.notNull())
    .execute()
  await addSessionOrigin(database.query)
  const clock = createManualClock(1_800_000_000_000)
  const sessions = new SessionStore<{ proved_at: number }>(database.query, clock, {
    owner,
    maxAge: 24 * hour,
    ...policy,
  })
  const openOne = async (userId = 'ada') => (await sessions.open(userId, { proved_at: clock.now() })).key
  const isGood = async (key: string) => (await sessions.find(key)) !== undefined
  const rows = () => database.query.selectFrom('sessions').selectAll().execute()
  return { database, clock, sessions, openOne, isGood, rows, [Symbol.asyncDispose]: () => database.close() }
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('a key opens its session with the service’s data, and the database stores only its hash', async () => {
      await using world = await open(kind, { owner: 'username' })
      const key = await world.openOne('ada')
      const session = await world.sessions.find(key)
      assert.equal(session?.userId, 'ada')
      assert.deepEqual(session.extra, { proved_at: world.clock.now() })
      assert.equal(session.endsAt, world.clock.now() + 24 * hour)
      assert.equal(await world.isGood(`${key}x`), false)
      assert.ok(!JSON.stringify(await world.rows()).includes(key))
      assert.notEqual(await world.openOne('ada'), key)
    })

    test('a session expires when unused, is extended by use, and ends at its maximum age', async () => {
      await using world = await open(kind, { maxIdle: () => hour })
      const [used, unused] = [await world.openOne(), await world.openOne()]
      for (let step = 0; step < 24; step += 1) {
        assert.ok(await world.sessions.use(used), `step ${step}`)
        world.clock.advance(hour - 60_001)
      }
      assert.equal(await world.isGood(unused), false)
      world.clock.advance(24 * 60_001 - 1)
      assert.equal(await world.sessions.use(used), undefined)
      await world.openOne()
      assert.equal((await world.rows()).length, 1, 'the next sign-in tidies up')
    })

    test('reading a session does not extend it, and use is stored at most once a minute', async () => {
      await using world = await open(kind, { maxIdle: () => hour })
      const key = await world.openOne()
      const lastUse = async () => (await world.rows())[0]?.last_used_at
      const start = world.clock.now()
      world.clock.advance(60_000)
      await world.sessions.use(key)
      assert.equal(await lastUse(), start)
      world.clock.advance(1)
      await world.sessions.find(key)
      assert.equal(await lastUse(), start)
      await world.sessions.use(key)
      assert.equal(await lastUse(), world.clock.now())
    })

    test('a renewed session gets another key; of two concurrent renewals one succeeds', async () => {
      await using world = await open(kind)
      const key = await world.openOne()
      world.clock.advance(hour)
      const proof = { proved_at: world.clock.now() }
      const next = (await Promise.all([1, 2].map(() => world.sessions.renew(key, proof)))).filter(
        (given) => given !== undefined,
      )
      assert.equal(next.length, 1)
      assert.equal(await world.isGood(key), false)
      const session = await world.sessions.find(next[0] ?? '')
      assert.deepEqual(session?.extra, proof)
      assert.equal(session.createdAt, world.clock.now() - hour)
      assert.equal(await world.sessions.renew(key, proof), undefined)
    })

    test('a user lists the good sessions with address and device, this one first, and ends one of their own', async () => {
      await using world = await open(kind, { maxIdle: () => hour })
      const begin = (userId: string, address: string) =>
        world.sessions.open(userId, { proved_at: 0 }, { address, userAgent: 'curl/8.5.0 '.padEnd(400, 'x') })
      await begin('ada', '192.0.2.9')
      world.clock.advance(hour)
      const mine = await begin('ada', '192.0.2.1')
      world.clock.advance(1000)
      const other = await begin('ada', '192.0.2.2')
      const foreign = await begin('grace', '192.0.2.3')
      const list = async () => describeOwnSessions(await world.sessions.listOf('ada'), mine.session.keyHash)
      const [first, second, ...more] = await list()
      assert.deepEqual(more, [], 'what expired is not shown')
      assert.deepEqual([first?.address, first?.device, first?.is_current], ['192.0.2.1', 'curl', true])
      assert.deepEqual([second?.address, second?.is_current], ['192.0.2.2', false])
      assert.ok(!JSON.stringify(await list()).includes(other.session.keyHash))
      const [theirs] = describeOwnSessions(await world.sessions.listOf('grace'), undefined)
      assert.equal(await world.sessions.endOwn('ada', theirs?.id ?? ''), undefined)
      assert.ok(await world.isGood(foreign.key))
      assert.equal((await world.sessions.endOwn('ada', second?.id ?? ''))?.keyHash, other.session.keyHash)
      assert.deepEqual([await world.isGood(other.key), await world.isGood(mine.key)], [false, true])
      assert.equal(await world.sessions.endOwn('ada', second?.id ?? ''), undefined)
    })

    test('sessions end one by one, for a user except one, and all at once; beyond the limit the least recently used ends', async () => {
      await using world = await open(kind, { maxPerUser: 3 })
      const [first, second, third] = [await world.openOne(), await world.openOne(), await world.openOne()]
      const other = await world.openOne('grace')
      world.clock.advance(hour)
      await world.sessions.use(first)
      await world.sessions.use(third)
      world.clock.advance(hour)
      const fourth = await world.openOne()
      const good = async () => Promise.all([first, second, third, fourth, other].map(world.isGood))
      assert.deepEqual(await good(), [true, false, true, true, true])
      await world.sessions.end(third)
      assert.deepEqual(await good(), [true, false, false, true, true])
      const except = (await world.sessions.find(fourth))?.keyHash
      await world.database.query
        .transaction()
        .execute((trx) => endSessionsOf(trx, { owner: 'user_id', id: 'ada', except }))
      assert.deepEqual(await good(), [false, false, false, true, true])
      await endSessionsOf(world.database.query, { owner: 'user_id', id: 'ada' })
      assert.deepEqual(await good(), [false, false, false, false, true])
      await world.sessions.endAll()
      assert.equal((await world.rows()).length, 0)
    })
  })
