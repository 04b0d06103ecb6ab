import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { Database } from '@hearth/database'
import type { Tables } from '../src/tables.ts'
import { startMedia } from '../test/in-process.ts'
import { recountTotals } from '../src/upkeep/store.ts'
import { addManyJobs } from './scenario/many-jobs.ts'

/** `npm run bench -- media/space`: what would go among 100,000 stored downloads, what they take, and how long 20,000 copies take to go. */
const [jobs, rounds, limitMs] = [100_000, 20, 250]

/** Gives every finished job its file, an MP3 and a cover. */
async function addFiles(query: Database<Tables>['query']): Promise<void> {
  const rows = await query.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()
  const file = (id: string, name: string, kind: 'original' | 'conversion' | 'picture') =>
    ({ job_id: id, name, folder_id: id, kind, bytes: 5_000_000, content_hash: null, is_stored: 1, put_at: 1 }) as const
  for (let at = 0; at < rows.length; at += 500) {
    const some = rows.slice(at, at + 500)
    const copied = some.filter((_, index) => index % 100 === 0)
    const files = [
      ...some.map(({ id }) => file(id, 'source.m4a', 'original')),
      ...some.map(({ id }) => file(id, 'thumbnail.jpg', 'picture')),
      ...copied.map(({ id }) => file(id, 'audio_mp3_1.mp3', 'conversion')),
    ]
    await query.insertInto('artifacts').values(files).execute()
  }
}

async function measure(name: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await using media = await startMedia({ WORKERS: '0', ...environment })
  const { query } = media.service.app.core.database
  await addManyJobs(query, 0, jobs)
  await addFiles(query)
  await recountTotals(query)
  // Both databases do this by themselves after a while.
  await sql`analyze`.execute(query)
  const { body } = await media.json<{ used_bytes: number }>('GET', '/api/storage')
  const paths = {
    usage: '/api/storage',
    'preview, some copies': `/api/storage/preview?budget_bytes=${body.used_bytes - 1e9}`,
    'preview, 100 downloads': `/api/storage/preview?budget_bytes=${body.used_bytes - 5e9}`,
    'preview, the largest': `/api/storage/preview?rule=largest&budget_bytes=${body.used_bytes - 5e9}`,
    'preview, the oldest': `/api/storage/preview?rule=oldest&budget_bytes=${body.used_bytes - 5e9}`,
  }
  for (const [kind, path] of Object.entries(paths)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const begin = performance.now()
      const { status } = await media.json('GET', path)
      times.push(performance.now() - begin)
      if (status !== 200) throw new Error(`${path}: ${status}`)
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
    process.stdout.write(`${name}, ${kind}: median ${median.toFixed(1)} ms of ${limitMs}\n`)
    if (median > limitMs) process.exitCode = 1
  }
}

/** Time for which so many copies may go, for each 1,000 of them. */
const [copies, perThousandMs] = [20_000, 1000]

/** Lets copies go, half as many first: twice as many take twice as long when the work is linear. */
async function measureCopies(name: string, createEnvironment: () => Promise<Record<string, string>>): Promise<void> {
  for (const count of [copies / 2, copies]) {
    await using media = await startMedia({ WORKERS: '0', ...(await createEnvironment()) })
    const { database, space } = media.service.app.core
    const { query } = database
    await addManyJobs(query, 0, count)
    const rows = await query.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()
    const names = [
      'source.m4a',
      ...Array.from({ length: Math.ceil(count / rows.length) }, (_, at) => `audio_mp3_${at}.mp3`),
    ]
    const files = names
      .flatMap((file, at) => rows.map(({ id }) => ({ id, file, at })))
      .slice(0, rows.length + count)
      .map(({ id, file, at }) => {
        const kind = at === 0 ? ('original' as const) : ('conversion' as const)
        return { job_id: id, name: file, folder_id: id, kind, bytes: 1000, content_hash: null, is_stored: 1, put_at: 1 }
      })
    for (let at = 0; at < files.length; at += 500)
      await query
        .insertInto('artifacts')
        .values(files.slice(at, at + 500))
        .execute()
    await recountTotals(query)
    await sql`analyze`.execute(query)
    const budget = rows.length * 1000
    const planned = performance.now()
    await space.preview({ budget_bytes: budget })
    const begun = performance.now()
    await media.json('POST', '/api/settings', { json: { storage_budget_bytes: budget } })
    await space.enforce()
    const { used_bytes } = await space.usage()
    const took = performance.now() - begun
    const each = took / (count / 1000)
    process.stdout.write(
      `${name}, ${count} copies: planned in ${(begun - planned).toFixed(0)} ms, gone in ${took.toFixed(0)} ms, ` +
        `${each.toFixed(0)} ms for 1,000 of ${perThousandMs}\n`,
    )
    if (used_bytes !== budget || each > perThousandMs) process.exitCode = 1
  }
}

await measure('SQLite', {})
if (postgresObstacle() === false) await measure('PostgreSQL', { DATABASE_URL: await createPostgresDatabase() })
await measureCopies('SQLite', () => Promise.resolve({}))
if (postgresObstacle() === false)
  await measureCopies('PostgreSQL', async () => ({ DATABASE_URL: await createPostgresDatabase() }))
