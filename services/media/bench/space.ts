import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { Database } from '@hearth/database'
import type { Tables } from '../src/tables.ts'
import { startMedia } from '../test/in-process.ts'
import { recountTotals } from '../src/upkeep/store.ts'
import { addManyJobs } from './scenario/many-jobs.ts'

/** `npm run bench -- media/space`: what would go among 100,000 stored downloads, and what they take. */
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

await measure('SQLite', {})
if (postgresObstacle() === false) await measure('PostgreSQL', { DATABASE_URL: await createPostgresDatabase() })
