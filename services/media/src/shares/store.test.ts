import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import type { ShareLinkRow } from '../tables.ts'
import * as fetches from './fetch-store.ts'
import * as store from './store.ts'

const now = 1_800_000_000_000

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = await openTables(location)
  const db = database.query
  const [job, other] = [finishedJob({ video_title: 'A song' }), finishedJob({ video_title: 'A film', type: 'video' })]
  await db.insertInto('jobs').values([job, other]).execute()
  let made = 0
  const rowOf = (more: Partial<ShareLinkRow> = {}): ShareLinkRow => {
    made += 1
    return {
      token_hash: `hash ${made}`,
      token_sealed: `sealed ${made}`,
      job_id: job.id,
      name: null,
      password_hash: null,
      max_uses: 0,
      uses: 0,
      created_at: made,
      expires_at: null,
      is_reusable: 1,
      last_fetched_at: null,
      ...more,
    }
  }
  const link = async (more: Partial<ShareLinkRow> = {}, [first = '', ...others]: string[] = [job.id]) => {
    const row = rowOf({ job_id: first, ...more })
    await store.insertLink(db, row, others)
    return row.token_hash
  }
  const use = (tokenHash: string, clientHash: string, { at = now, jobId = job.id } = {}) =>
    fetches.takeUse(db, { tokenHash, clientHash, jobId, network: `net of ${clientHash}`, now: at })
  const usesOf = async (tokenHash: string) => (await store.findLink(db, tokenHash))?.link.uses
  const networksOf = async (tokenHash: string) =>
    (await fetches.listFetches(db, tokenHash)).map(({ network, job_id }) => [network, job_id])

  await test(`${name}: a link is found with its jobs, in their order, and the client’s first use`, async () => {
    const hash = await link({ max_uses: 3, expires_at: now, name: 'Demo' }, [other.id, job.id])
    await use(hash, 'b', { at: now - 5 })
    const found = await store.findLink(db, hash)
    assert.deepEqual(
      found?.files.map(({ position, job: one }) => ({ position, job: { ...one } })),
      [
        { position: 1, job: other },
        { position: 2, job },
      ],
    )
    assert.deepEqual(
      [found?.link.max_uses, found?.link.uses, found?.link.expires_at, found?.link.name, found?.link.last_fetched_at],
      [3, 1, now, 'Demo', now - 5],
    )
    assert.equal(await fetches.findUse(db, { tokenHash: hash, clientHash: 'b' }), now - 5)
    assert.equal(await fetches.findUse(db, { tokenHash: hash, clientHash: 'a' }), null)
    assert.equal(await store.findLink(db, 'unknown'), undefined)
  })

  await test(`${name}: repeated requests of a client count once an hour`, async () => {
    const hash = await link({ max_uses: 2 })
    const later = (milliseconds: number, client = 'a') => use(hash, client, { at: now + milliseconds })
    assert.deepEqual([await later(0), await later(3_599_999), await usesOf(hash)], [true, true, 1])
    assert.deepEqual([await later(3_600_000), await usesOf(hash)], [true, 2])
    assert.deepEqual([await later(3_600_001, 'b'), await usesOf(hash)], [false, 2])
    // Who has one may still come back.
    assert.deepEqual([await later(3_600_002), await usesOf(hash)], [true, 2])
    assert.equal(await later(7_200_001), false)
  })

  await test(`${name}: all files of a link are one use, and each is noted once for a client`, async () => {
    const hash = await link({ max_uses: 1 }, [job.id, other.id])
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => use(hash, 'a', { jobId: index % 2 === 0 ? job.id : other.id })),
    )
    assert.deepEqual([new Set(results), await usesOf(hash)], [new Set([true]), 1])
    assert.deepEqual(new Set((await networksOf(hash)).map(([, jobId]) => jobId)), new Set([job.id, other.id]))
    assert.equal(await use(hash, 'b'), false)
    assert.equal((await networksOf(hash)).length, 2)
    const wanted = { tokenHash: hash, clientHash: 'a', jobId: job.id, network: 'x', now }
    assert.deepEqual(
      [await fetches.hasFetched(db, wanted), await fetches.hasFetched(db, { ...wanted, clientHash: 'b' })],
      [true, false],
    )
  })

  await test(`${name}: simultaneous clients never exceed the limit, and each counts once`, async () => {
    const hash = await link({ max_uses: 5 })
    const clients = Array.from({ length: 30 }, (_, index) => `client ${index % 10}`)
    const results = await Promise.all(clients.map((client) => use(hash, client)))
    const admitted = new Set(clients.filter((_, index) => results[index]))
    assert.deepEqual([admitted.size, await usesOf(hash)], [5, 5])
    for (const [index, client] of clients.entries()) assert.equal(results[index], admitted.has(client), client)
    assert.equal((await networksOf(hash)).length, 5)
    const open = await link()
    await Promise.all(clients.map((client) => use(open, client)))
    assert.deepEqual([await usesOf(open), (await networksOf(open)).length], [10, 10])
  })

  await test(`${name}: an expired or unknown link cannot be used, and nothing is noted`, async () => {
    const hash = await link({ expires_at: now })
    assert.deepEqual([await use(hash, 'a', { at: now - 1 }), await use(hash, 'b')], [true, false])
    assert.equal(await use('unknown', 'a'), false)
    assert.deepEqual([await usesOf(hash), (await networksOf(hash)).length], [1, 1])
  })

  await test(`${name}: of the fetches of a link the newest thousand are kept`, async () => {
    const hash = await link()
    const rows = Array.from({ length: 1005 }, (_, index) => ({
      id: randomUUID(),
      token_hash: hash,
      job_id: job.id,
      network: `${index}`,
      client_hash: null,
      fetched_at: index,
    }))
    for (let index = 0; index < rows.length; index += 100)
      await db
        .insertInto('share_fetches')
        .values(rows.slice(index, index + 100))
        .execute()
    await use(hash, 'a')
    const kept = await fetches.listFetches(db, hash)
    assert.deepEqual(
      [kept.length, kept[0]?.network, kept[0]?.video_title, kept.at(-1)?.network],
      [1000, 'net of a', 'A song', '6'],
    )
    await db.deleteFrom('share_links').where('token_hash', '=', hash).execute()
    assert.deepEqual(await db.selectFrom('share_fetches').select('id').where('token_hash', '=', hash).execute(), [])
  })

  await test(`${name}: links are listed newest first, counted, changed and revoked with their uses`, async () => {
    await store.deleteLinksOf(db, job.id)
    const [one, two, both] = [await link(), await link({}, [other.id]), await link({}, [job.id, other.id])]
    await use(one, 'a')
    const listed = async (jobId?: string) =>
      (await store.listLinks(db, { jobId, limit: 10, offset: 0 })).map((found) => found.link.token_hash)
    assert.deepEqual(await listed(), [both, two, one])
    assert.deepEqual(await listed(other.id), [both, two])
    const [second] = await store.listLinks(db, { limit: 1, offset: 1 })
    assert.deepEqual(
      [second?.link.token_hash, second?.files.map(({ job: { id, video_title } }) => [id, video_title])],
      [two, [[other.id, 'A film']]],
    )
    assert.deepEqual(
      (await store.linksOf(db, job.id)).map(({ token_hash }) => token_hash),
      [both, one],
    )
    assert.equal(await store.countLinks(db), 3)
    const id = second?.link.token_hash ?? ''
    await store.updateLink(db, id, { max_uses: 7 })
    const changed = await store.readLink(db, id)
    assert.deepEqual([changed?.link.max_uses, changed?.link.is_reusable], [7, 0])
    assert.deepEqual([await store.deleteLink(db, id), await store.deleteLink(db, id)], [true, false])
    assert.equal(await store.readLink(db, id), undefined)
    assert.deepEqual([await store.deleteLinksOf(db, job.id), await store.deleteLinksOf(db, job.id)], [2, 0])
    assert.deepEqual(await db.selectFrom('share_uses').selectAll().execute(), [])
    assert.deepEqual(await db.selectFrom('share_files').selectAll().execute(), [])
  })

  await test(`${name}: links that ended before a time are deleted, and old fetches lose their client`, async () => {
    const kept = [
      await link(),
      await link({ expires_at: now + 1 }),
      await link({ max_uses: 2, uses: 1 }),
      await link({ max_uses: 1, uses: 1, last_fetched_at: now + 1 }),
    ]
    await link({ expires_at: now })
    await link({ max_uses: 1, uses: 1, last_fetched_at: now })
    await link({ max_uses: 1, uses: 1 })
    const [hash = ''] = kept
    await use(hash, 'a', { at: now - 10 })
    await use(hash, 'b', { at: now - 3_600_000 })
    await use(hash, 'c', { at: now - 7_200_000 })
    await store.deleteSpent(db, now)
    await fetches.deleteOldFetches(db, { now, keptSince: now - 7_200_000 })
    assert.deepEqual((await store.linksOf(db, job.id)).map(({ token_hash }) => token_hash).sort(), kept.sort())
    const rows = await db.selectFrom('share_fetches').selectAll().orderBy('fetched_at').execute()
    assert.deepEqual(
      rows.map(({ network, client_hash }) => [network, client_hash]),
      [
        ['net of b', null],
        ['net of a', 'a'],
      ],
    )
    assert.equal((await db.selectFrom('share_uses').selectAll().execute()).length, 1)
  })

  await test(`${name}: a link to several files goes when all are gone, and one to a file with its job`, async () => {
    const third = finishedJob()
    await db.insertInto('jobs').values(third).execute()
    const both = await link({}, [job.id, other.id, third.id])
    const lose = ({ id }: { id: string }, values = {}) =>
      db
        .updateTable('jobs')
        .set({ artifact: null, ...values })
        .where('id', '=', id)
        .execute()
    await lose(job)
    await lose(other)
    await lose(third, { status: 'queued' })
    await store.deleteSpent(db, 0)
    assert.notEqual(await store.findLink(db, both), undefined)
    await lose(third, { status: 'error' })
    await store.deleteSpent(db, 0)
    assert.equal(await store.findLink(db, both), undefined)
    await link({}, [other.id])
    await db.deleteFrom('jobs').where('id', '=', job.id).execute()
    assert.equal(await store.countLinks(db), 1)
    await db.deleteFrom('jobs').where('id', '=', other.id).execute()
    assert.equal(await store.countLinks(db), 0)
  })

  await database.close()
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
