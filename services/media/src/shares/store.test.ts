import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import type { ShareLinkRow } from '../tables.ts'
import * as store from './store.ts'

const now = 1_800_000_000_000

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = await openTables(location)
  const db = database.query
  const job = finishedJob()
  await db.insertInto('jobs').values(job).execute()
  let made = 0
  const link = async (more: Partial<ShareLinkRow> = {}) => {
    made += 1
    const row: ShareLinkRow = {
      token_hash: `hash ${made}`,
      token_sealed: `sealed ${made}`,
      job_id: job.id,
      max_uses: 0,
      uses: 0,
      created_at: made,
      expires_at: null,
      ...more,
    }
    await store.insertLink(db, row)
    return row.token_hash
  }
  const use = (tokenHash: string, clientHash: string, at = now) => store.takeUse(db, { tokenHash, clientHash, now: at })
  const find = async (tokenHash: string, clientHash = 'a') => store.findLink(db, { tokenHash, clientHash })
  const usesOf = async (tokenHash: string) => (await find(tokenHash))?.link.uses

  await test(`${name}: a link is found with its job and the client’s first use`, async () => {
    const hash = await link({ max_uses: 3, expires_at: now })
    await use(hash, 'b', now - 5)
    const found = await find(hash, 'b')
    assert.deepEqual({ ...found?.job }, job)
    assert.deepEqual(found?.link, {
      token_hash: hash,
      token_sealed: `sealed ${made}`,
      job_id: job.id,
      max_uses: 3,
      uses: 1,
      created_at: made,
      expires_at: now,
    })
    assert.deepEqual([found?.usedAt, (await find(hash, 'a'))?.usedAt], [now - 5, null])
    assert.equal(await find('unknown'), undefined)
  })

  await test(`${name}: repeated requests of a client count once an hour`, async () => {
    const hash = await link({ max_uses: 2 })
    assert.deepEqual([await use(hash, 'a'), await use(hash, 'a', now + 3_599_999), await usesOf(hash)], [true, true, 1])
    assert.deepEqual([await use(hash, 'a', now + 3_600_000), await usesOf(hash)], [true, 2])
    assert.deepEqual([await use(hash, 'b', now + 3_600_001), await usesOf(hash)], [false, 2])
    // Who has one may still come back.
    assert.deepEqual([await use(hash, 'a', now + 3_600_002), await usesOf(hash)], [true, 2])
    assert.equal(await use(hash, 'a', now + 7_200_001), false)
  })

  await test(`${name}: simultaneous clients never exceed the limit, and each counts once`, async () => {
    const hash = await link({ max_uses: 5 })
    const clients = Array.from({ length: 30 }, (_, index) => `client ${index % 10}`)
    const results = await Promise.all(clients.map((client) => use(hash, client)))
    const admitted = new Set(clients.filter((_, index) => results[index]))
    assert.deepEqual([admitted.size, await usesOf(hash)], [5, 5])
    for (const [index, client] of clients.entries()) assert.equal(results[index], admitted.has(client), client)
    const open = await link()
    await Promise.all(clients.map((client) => use(open, client)))
    assert.equal(await usesOf(open), 10)
  })

  await test(`${name}: an expired or unknown link cannot be used`, async () => {
    const hash = await link({ expires_at: now })
    assert.deepEqual([await use(hash, 'a', now - 1), await use(hash, 'b', now)], [true, false])
    assert.equal(await use('unknown', 'a'), false)
    assert.equal(await usesOf(hash), 1)
  })

  await test(`${name}: links are listed newest first, counted and revoked with their uses`, async () => {
    await store.deleteLinksOf(db, job.id)
    const [one, two] = [await link(), await link()]
    await use(one, 'a')
    assert.deepEqual(
      (await store.linksOf(db, job.id)).map(({ token_hash }) => token_hash),
      [two, one],
    )
    assert.equal(await store.countLinks(db), 2)
    assert.deepEqual([await store.deleteLinksOf(db, job.id), await store.deleteLinksOf(db, job.id)], [2, 0])
    assert.deepEqual(await db.selectFrom('share_uses').selectAll().execute(), [])
  })

  await test(`${name}: expired links are deleted; a used-up link stays for the hour its client may use it`, async () => {
    const kept = [await link(), await link({ expires_at: now + 1 }), await link({ max_uses: 2, uses: 1 })]
    const fetching = await link({ max_uses: 1 })
    await use(fetching, 'a', now - 1000)
    await link({ expires_at: now })
    await link({ max_uses: 1, uses: 1 })
    const left = async () => (await store.linksOf(db, job.id)).map(({ token_hash }) => token_hash).sort()
    await store.deleteSpent(db, now)
    assert.deepEqual(await left(), [...kept, fetching].sort())
    await store.deleteSpent(db, now + store.useLength)
    assert.deepEqual(await left(), [kept[0]!, kept[2]!].sort())
  })

  await test(`${name}: links are deleted with their job`, async () => {
    await db.deleteFrom('jobs').where('id', '=', job.id).execute()
    assert.equal(await store.countLinks(db), 0)
  })

  await database.close()
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
