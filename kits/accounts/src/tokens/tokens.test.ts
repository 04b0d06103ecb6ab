import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashToken } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { AccountError } from '../account-error.ts'
import type { HashColumn, TokenRow } from './store.ts'
import { TokenStore, type TokenExpiry } from './tokens.ts'

const day = 86_400_000

interface Columns {
  user_id: string
  last_used_ip: string | null
}

async function open(kind: 'sqlite' | 'postgres', hashColumn: HashColumn = 'hash') {
  const location = kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
  const database = openDatabase<{ tokens: TokenRow<'hash', Columns> }>(location)
  await database.query.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn(hashColumn, 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('last_used_ip', 'text')
    .execute()
  const clock = createManualClock(1_800_000_000_000)
  const tokens = new TokenStore<Columns>(database.query, clock, { prefix: 'test', hashColumn, maxTokens: 3 })
  const create = (user_id = 'ada', expires: TokenExpiry = 'never') =>
    tokens.create({ name: 'x', expires, owner: { user_id }, extra: () => ({ user_id, last_used_ip: null }) })
  const rows = () => database.query.selectFrom('tokens').selectAll().execute()
  return { database, clock, tokens, create, rows, [Symbol.asyncDispose]: () => database.close() }
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    for (const column of ['hash', 'token_hash'] as const)
      test(`only the exact value finds its token, and ${column} stores only its SHA-256`, async () => {
        await using world = await open(kind, column)
        const { value, token } = await world.create()
        assert.match(value, /^test_[A-Za-z0-9]{44}$/)
        assert.deepEqual(await world.tokens.find(value), token)
        assert.deepEqual(await world.tokens.findById(token.id), token)
        for (const wrong of ['', 'test_', value.slice(0, -1), `${value}x`, value.replace('test', 'best')])
          assert.equal(await world.tokens.find(wrong), undefined)
        const stored = JSON.stringify(await world.rows())
        assert.ok(!stored.includes(value) && stored.includes(hashToken(value)))
        assert.ok(!JSON.stringify(token).includes(hashToken(value)))
      })

    test('a token expires to the millisecond; one without expiry never does', async () => {
      await using world = await open(kind)
      const days = { '30d': 30, '90d': 90, '1y': 365 } as const
      for (const [expires, count] of Object.entries(days) as [keyof typeof days, number][]) {
        const { value, token } = await world.create(expires, expires)
        world.clock.advance(count * day - 1)
        assert.ok(await world.tokens.find(value), expires)
        world.clock.advance(1)
        assert.equal(await world.tokens.find(value), undefined, expires)
        assert.equal(await world.tokens.findById(token.id), undefined, expires)
      }
      const { value } = await world.create()
      world.clock.advance(20 * 365 * day)
      assert.ok(await world.tokens.find(value))
    })

    test('the last use is stored once a minute, and at once for a new IP address', async () => {
      await using world = await open(kind)
      const { token } = await world.create()
      const lastUse = async () => {
        const [row] = await world.rows()
        return [row?.last_used_at, row?.last_used_ip]
      }
      const start = world.clock.now()
      const first = await world.tokens.noteUse(token, { last_used_ip: 'a' })
      assert.deepEqual([first.last_used_at, first.last_used_ip], [start, 'a'])
      world.clock.advance(60_000)
      assert.equal(await world.tokens.noteUse(first, { last_used_ip: 'a' }), first)
      assert.deepEqual(await lastUse(), [start, 'a'])
      await world.tokens.noteUse(first, { last_used_ip: 'b' })
      assert.deepEqual(await lastUse(), [start + 60_000, 'b'])
      world.clock.advance(1)
      await world.tokens.noteUse(first, { last_used_ip: 'b' })
      assert.deepEqual(await lastUse(), [start + 60_001, 'b'])
    })

    test('an owner has a limited number of tokens, and lists and revokes only their own', async () => {
      await using world = await open(kind)
      const [first] = [await world.create(), await world.create(), await world.create()]
      const tooMany = (error: unknown) => error instanceof AccountError && error.reason.kind === 'too-many-tokens'
      await assert.rejects(world.create(), tooMany)
      const other = await world.create('grace')
      assert.equal(await world.tokens.count({ user_id: 'ada' }), 3)
      assert.equal((await world.tokens.list()).length, 4)
      const page = await world.tokens.list({ user_id: 'ada' }, { limit: 2, offset: 1 })
      assert.equal(page.length, 2)
      assert.ok(page.every(({ user_id }) => user_id === 'ada'))
      assert.equal(await world.tokens.revoke(other.token.id, { user_id: 'ada' }), undefined)
      assert.ok(await world.tokens.find(other.value))
      assert.equal((await world.tokens.revoke(first.token.id, { user_id: 'ada' }))?.id, first.token.id)
      assert.equal(await world.tokens.find(first.value), undefined)
      await world.create()
    })
  })
