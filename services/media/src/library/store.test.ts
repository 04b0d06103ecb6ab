import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Database, DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, createRandom, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import { readTags } from '../jobs/job-tags.ts'
import { searchWords, wordsOfTags } from '../jobs/search-words.ts'
import type { JobRow, Tables } from '../tables.ts'
import { countTags, fillSearchWords, searchItems, setTags, type Search } from './store.ts'

const words = ['night', 'nightfall', 'drive', 'déjà', 'vu', 'sol', 'sólo', 'été', 'Über', 'train', 'tea']
const tags = ['warm up', 'peak', 'vocal', 'r&b']

/** Everything found, in order. */
const all = { words: [], offset: 0, limit: 1000 } satisfies Search

async function find(database: Database<Tables>, search: Partial<Search>): Promise<string[]> {
  const { jobs, total, isTotalExact } = await searchItems(database, { ...all, ...search })
  assert.deepEqual([total, isTotalExact], [jobs.length, true])
  return jobs.map(({ id }) => id)
}

/** What the library should find, by reading every row. */
function expected(rows: Iterable<JobRow>, search: Partial<Search>): string[] {
  const within = (value: number | null, from = -Infinity, to = Infinity) =>
    (from === -Infinity && to === Infinity) || (value !== null && value >= from && value <= to)
  return Array.from(rows)
    .filter((row) => ['done', 'analysis_done'].includes(row.status) && row.artifact !== null)
    .filter((row) => {
      const found = searchWords([row.video_title, row.artist, row.album, row.channel, ...readTags(row.tags)].join(' '))
      return (search.words ?? []).every((word) => found.some((own) => own.startsWith(word)))
    })
    .filter((row) => (search.tags ?? []).every((tag) => readTags(row.tags).includes(tag)))
    .filter((row) => search.type === undefined || row.type === search.type)
    .filter((row) => within(row.bpm, search.bpm_from, search.bpm_to))
    .filter((row) => search.keys === undefined || search.keys.includes(row.musical_key ?? -1))
    .filter((row) => within(row.duration_ms, (search.length_from ?? -Infinity) * 1000))
    .toSorted((one, other) => other.created_at - one.created_at)
    .map(({ id }) => id)
}

async function onDatabase(location: DatabaseLocation): Promise<void> {
  const database = await openTables(location)
  const { query } = database
  const random = createRandom(11)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const rows = new Map<string, JobRow>()
  const store = async (row: JobRow) => {
    rows.set(row.id, row)
    await query.insertInto('jobs').values(row).execute()
  }
  const change = async (id: string, values: Partial<JobRow>) => {
    rows.set(id, { ...(rows.get(id) as JobRow), ...values })
    await query.updateTable('jobs').set(values).where('id', '=', id).execute()
  }
  const tag = async (id: string, own: readonly string[]) => {
    const row = await setTags(query, id, { tags: own, words: wordsOfTags(own) })
    rows.set(id, row as JobRow)
  }
  for (let round = 0; round < 400; round++) {
    const id = pick([...rows.keys(), randomUUID()])
    const step = random()
    if (rows.size < 60 || step < 0.2)
      await store(
        finishedJob({
          video_title: `${pick(words)} ${pick(words)}`,
          artist: pick(words),
          created_at: 1000 + round,
          type: pick(['audio', 'video']),
          status: pick(['done', 'analysis_done', 'error', 'queued']),
          bpm: pick([null, 90, 120, 121, 174]),
          musical_key: pick([null, 0, 5, 14]),
          duration_ms: pick([null, 30_000, 61_000, 600_000]),
        }),
      )
    else if (!rows.has(id)) continue
    else if (step < 0.5)
      await tag(
        id,
        tags.filter(() => random() < 0.4),
      )
    else if (step < 0.6) await change(id, { status: pick(['done', 'queued', 'analysis_done']) })
    else if (step < 0.7) await change(id, { artifact: pick([null, 'source.m4a']) })
    else if (step < 0.8) await change(id, { bpm: pick([null, 100, 120]), musical_key: pick([null, 3]) })
    else {
      rows.delete(id)
      await query.deleteFrom('jobs').where('id', '=', id).execute()
    }
    const search: Partial<Search> = {
      ...(random() < 0.7 && { words: searchWords(pick(words).slice(0, 2 + Math.floor(random() * 5))) }),
      ...(random() < 0.2 && { words: searchWords(`${pick(words)} ${pick(words)}`) }),
      ...(random() < 0.3 && { tags: random() < 0.5 ? [pick(tags)] : ['peak', 'vocal'] }),
      ...(random() < 0.2 && { type: pick(['audio', 'video'] as const) }),
      ...(random() < 0.2 && { bpm_from: 100, bpm_to: 121 }),
      ...(random() < 0.2 && { keys: [0, 3, 14] }),
      ...(random() < 0.2 && { length_from: 60 }),
    }
    assert.deepEqual(await find(database, search), expected(rows.values(), search), JSON.stringify(search))
  }
  const counts = tags.map((name) => ({
    tag: name,
    count: expected(rows.values(), { tags: [name] }).length,
  }))
  const sorted = counts.toSorted((one, other) => other.count - one.count || (one.tag < other.tag ? -1 : 1))
  assert.deepEqual(
    (await countTags(query)).map(({ tag: name, count }) => ({ tag: name, count })),
    sorted,
  )
  await database.close()
}

test('on SQLite, after any changes of jobs, the library finds what reading every row does', () =>
  onDatabase({ file: ':memory:' }))
const obstacle = postgresObstacle()
test('on PostgreSQL too', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }))

async function sorts(location: DatabaseLocation): Promise<void> {
  const database = await openTables(location)
  const at = (created_at: number, more: Partial<JobRow>) => finishedJob({ created_at, ...more })
  const rows = [
    at(1, { video_title: 'beta', bpm: 90, musical_key: 14, duration_ms: 5 }),
    at(2, { video_title: 'Alpha', bpm: 128, musical_key: 0, duration_ms: 9 }),
    at(3, { video_title: 'gamma', bpm: null, musical_key: null, duration_ms: null }),
  ]
  await database.query.insertInto('jobs').values(rows).execute()
  const order = async (sort: Search['sort'], direction?: 'asc' | 'desc') =>
    (await find(database, { sort, order: direction })).map((id) => rows.findIndex((row) => row.id === id) + 1)
  assert.deepEqual(await order(undefined), [3, 2, 1])
  assert.deepEqual(await order('added', 'asc'), [1, 2, 3])
  assert.deepEqual(await order('title'), [2, 1, 3])
  assert.deepEqual(await order('title', 'desc'), [3, 1, 2])
  assert.deepEqual(await order('bpm'), [1, 2, 3])
  assert.deepEqual(await order('bpm', 'desc'), [2, 1, 3])
  assert.deepEqual(await order('key'), [2, 1, 3])
  assert.deepEqual(await order('duration', 'desc'), [2, 1, 3])
  assert.deepEqual(
    (await searchItems(database, { ...all, offset: 1, limit: 1 })).jobs.map(({ id }) => id),
    [rows[1]?.id],
  )
  await database.close()
}

test('on SQLite, items without a value come last', () => sorts({ file: ':memory:' }))
test('on PostgreSQL, items without a value come last', { skip: obstacle }, async () =>
  sorts({ url: await createPostgresDatabase() }),
)

async function fills(location: DatabaseLocation): Promise<void> {
  const database = await openTables(location)
  const old = { search_words: '', tag_words: '' }
  const rows = [
    finishedJob({ ...old, video_title: 'Déjà vu', created_at: 2 }),
    finishedJob({ ...old, artist: 'Nobody', created_at: 1 }),
    finishedJob(old),
  ]
  await database.query.insertInto('jobs').values(rows).execute()
  assert.deepEqual(await find(database, { words: ['deja'] }), [])
  await fillSearchWords(database.query)
  assert.deepEqual(await find(database, { words: ['deja'] }), [rows[0]?.id])
  assert.deepEqual(await find(database, { words: ['nob'] }), [rows[1]?.id])
  await database.close()
}

test('on SQLite, jobs of a backup from before the library are found by their words', () => fills({ file: ':memory:' }))
test('on PostgreSQL, jobs of a backup from before the library are found by their words', { skip: obstacle }, async () =>
  fills({ url: await createPostgresDatabase() }),
)

async function together(location: DatabaseLocation): Promise<void> {
  const database = await openTables(location)
  // Jobs of one millisecond, as two workers add them.
  await Promise.all(
    Array.from({ length: 40 }, () =>
      database.query
        .insertInto('jobs')
        .values(finishedJob({ created_at: 5 }))
        .execute(),
    ),
  )
  assert.equal((await find(database, {})).length, 40)
  await database.close()
}

test('on SQLite, jobs of the same millisecond are all there', () => together({ file: ':memory:' }))
test(
  'on PostgreSQL, jobs that several connections add in the same millisecond are all there',
  { skip: obstacle },
  async () => together({ url: await createPostgresDatabase() }),
)
