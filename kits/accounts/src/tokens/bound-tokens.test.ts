import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { HttpError, type GuardedRequest } from '@hearth/http'
import { createManualClock, createSkippingTimers } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { BoundTokens } from './bound-tokens.ts'
import { createTokenCheck, readBearer } from './check-token.ts'
import { OpenAnswers } from './open-answers.ts'
import { createTokenTable } from './tables.ts'

type Permissions = 'read' | 'full'

async function open(kind: 'sqlite' | 'postgres') {
  const location = kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
  const database = openDatabase<unknown>(location)
  await createTokenTable(database.query, null)
  const clock = createManualClock(1_800_000_000_000)
  const active = new Set(['ada', 'grace'])
  const revoked: string[] = []
  const tokens = new BoundTokens<Permissions, string>({
    query: database.query,
    clock,
    prefix: 'test',
    findOwner: (id) => Promise.resolve(active.has(id) ? id : undefined),
    onRevoked: ({ id, userId }) => void revoked.push(`${userId} ${id}`),
  })
  const create = (ip_whitelist: string[] = []) =>
    tokens.create('ada', { name: 'backup', permissions: 'read', expires: '30d', ip_whitelist })
  return { database, clock, active, revoked, tokens, create, [Symbol.asyncDispose]: () => database.close() }
}

/** A request from an address, with the headers that the answer gets. */
function requestFrom(address: string, authorization?: string) {
  const headers = new Map<string, unknown>()
  const guarded = {
    request: { headers: { authorization } },
    client: { address },
    reply: {
      header: (name: string, value: unknown) => headers.set(name, value),
      headers: (more: object) => Object.entries(more).forEach(([name, value]) => headers.set(name, value)),
    },
  } as unknown as GuardedRequest
  return { guarded, headers }
}

const refusal = async (attempt: Promise<unknown>) => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof HttpError, String(error))
  return error.reason.kind
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('a token stops when its owner is deactivated or revokes it, and only the owner revokes it', async () => {
      await using world = await open(kind)
      const { token, id } = await world.create()
      assert.equal((await world.tokens.find(token))?.owner, 'ada')
      world.active.delete('ada')
      assert.deepEqual([await world.tokens.find(token), await world.tokens.ownerOf(id)], [undefined, undefined])
      world.active.add('ada')
      assert.equal(await world.tokens.revoke('grace', id), undefined)
      assert.equal((await world.tokens.revoke('ada', id))?.name, 'backup')
      assert.deepEqual(world.revoked, [`ada ${id}`])
      assert.equal(await world.tokens.find(token), undefined)
      assert.equal(await world.tokens.count('ada'), 0)
    })

    test('the list tells tokens apart without their values, and says when and from where each was used', async () => {
      await using world = await open(kind)
      const { token, ...shown } = await world.create(['192.0.2.0/24'])
      assert.deepEqual(await world.tokens.list('ada'), [shown])
      assert.ok(token.startsWith(shown.prefix) && shown.prefix.length === 'test_abcd'.length)
      const check = createTokenCheck(world.tokens, world.clock)
      assert.equal((await check(requestFrom('192.0.2.7').guarded, token)).owner, 'ada')
      const [used] = await world.tokens.list('ada')
      assert.deepEqual([used?.last_used_ip, used?.last_used_at], ['192.0.2.7', shown.created_at])
    })

    test('a token works from its addresses only, and expires', async () => {
      await using world = await open(kind)
      const { token } = await world.create(['192.0.2.0/24', '2001:db8::/32'])
      const check = createTokenCheck(world.tokens, world.clock)
      for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::9'])
        assert.equal((await check(requestFrom(address).guarded, token)).name, 'backup')
      for (const address of ['192.0.3.7', '2001:db9::9', 'nowhere'])
        assert.equal(await refusal(check(requestFrom(address).guarded, token)), 'forbidden')
      world.clock.advance(30 * 86_400_000)
      assert.equal(await refusal(check(requestFrom('192.0.2.7').guarded, token)), 'unauthenticated')
    })

    test('wrong tokens are counted by address; a right one still works', async () => {
      await using world = await open(kind)
      const { token } = await world.create()
      const check = createTokenCheck(world.tokens, world.clock)
      const wrong = requestFrom('192.0.2.7')
      for (let index = 0; index < 10; index += 1)
        assert.equal(await refusal(check(wrong.guarded, `test_${index}`)), 'unauthenticated')
      assert.equal(wrong.headers.get('www-authenticate'), 'Bearer')
      assert.equal(await refusal(check(wrong.guarded, 'test_x')), 'rate-limited')
      assert.equal(await refusal(check(requestFrom('192.0.2.8').guarded, 'test_x')), 'unauthenticated')
      assert.equal((await check(wrong.guarded, token)).name, 'backup')
    })
  })

test('only a bearer token is read; one that is malformed is wrong', () => {
  const read = (authorization?: string) => readBearer(requestFrom('192.0.2.7', authorization).guarded)
  assert.deepEqual([read(), read('Basic YTpi'), read('Bearertoken x')], [undefined, undefined, undefined])
  assert.deepEqual([read('Bearer abc'), read('bearer   abc')], ['abc', 'abc'])
  assert.deepEqual([read('Bearer'), read('Bearer a b'), read('Bearer ')], ['', '', ''])
})

test('a download ends when its token is revoked, or no longer good; event streams and other tokens go on', async () => {
  const usable = new Set(['one', 'two', 'three'])
  const isUsable = (id: string) => Promise.resolve(usable.has(id))
  const answers = new OpenAnswers({ timers: createSkippingTimers(), isUsable })
  const opened = (id: string, type: string) => {
    const ended = { is: false }
    const response = Object.assign(new EventEmitter(), {
      headersSent: true,
      getHeader: () => type,
      destroy() {
        ended.is = true
        response.emit('close')
      },
    })
    answers.follow(response as unknown as ServerResponse, id)
    return ended
  }
  const [first, stream, second, third] = [
    opened('one', 'audio/mpeg'),
    opened('one', 'text/event-stream; charset=utf-8'),
    opened('two', 'audio/mpeg'),
    opened('three', 'audio/mpeg'),
  ]
  answers.end('one')
  assert.deepEqual([first.is, stream.is, second.is], [true, false, false])
  usable.delete('two')
  await eventually(() => second.is, Boolean)
  assert.equal(third.is, false)
  answers.close()
})
