import { performance } from 'node:perf_hooks'
import { startMedia, type Media } from '../test/in-process.ts'
import type { JobRow } from '../src/tables.ts'
import { finishedJob } from '../test/job-row.ts'

/** `npm run bench -- media/list`: the first page of the job list at 100,000 stored jobs against the one at 100. */
const limit = 2
const [few, many] = [100, 100_000]

function row(index: number): JobRow {
  const isDone = index % 5 !== 0
  const at = 1_700_000_000_000 + index * 1000
  return finishedJob({
    url: `https://www.youtube.com/watch?v=${index}`,
    media_key: `youtube:${index}`,
    status: isDone ? 'analysis_done' : 'error',
    video_title: `Title number ${index}`,
    video_meta_hover: 'Channel: somebody',
    message: isDone ? 'Finished; 120 BPM' : 'The platform cannot be reached',
    created_at: at,
    queued_at: at,
    finished_at: at + 60_000,
    bpm: 120,
    bpm_confidence: 0.9,
    audio_hash: 'a'.repeat(64),
    artifact: isDone ? 'source.m4a' : null,
  })
}

async function fill(media: Media, from: number, to: number): Promise<void> {
  const db = media.service.app.core.database.query
  await db.transaction().execute(async (trx) => {
    for (let index = from; index < to; index += 500) {
      const rows = Array.from({ length: Math.min(500, to - index) }, (_, offset) => row(index + offset))
      await trx.insertInto('jobs').values(rows).execute()
    }
  })
}

async function medianMs(media: Media): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    const begin = performance.now()
    const { body } = await media.json<unknown[]>('GET', '/api/jobs?limit=50')
    times.push(performance.now() - begin)
    if (body.length !== 50) throw new Error('the list is not whole')
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

await using media = await startMedia({ WORKERS: '0' })
await fill(media, 0, few)
await medianMs(media)
const small = await medianMs(media)
await fill(media, few, many)
const large = await medianMs(media)
const ratio = large / small
process.stdout.write(
  `first 50 jobs: ${small.toFixed(2)} ms of ${few}, ${large.toFixed(2)} ms of ${many.toLocaleString('en-US')}; ratio ${ratio.toFixed(2)}, limit ${limit}\n`,
)
process.exitCode = ratio <= limit ? 0 : 1
