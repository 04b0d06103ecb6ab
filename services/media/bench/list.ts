import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { startMedia, type Media } from '../test/in-process.ts'
import type { JobRow } from '../src/database/tables.ts'

/** `npm run bench -- media/list`: the first page of the job list at 100,000 stored jobs against the one at 100. */
const limit = 2
const [few, many] = [100, 100_000]

function row(index: number): JobRow {
  const isDone = index % 5 !== 0
  return {
    id: randomUUID(),
    url: `https://www.youtube.com/watch?v=${index}`,
    platform: 'youtube',
    media_key: `youtube:${index}`,
    type: 'audio',
    quality: 'max',
    status: isDone ? 'analysis_done' : 'error',
    attempt: 1,
    interruptions: 0,
    lease_until: null,
    video_title: `Title number ${index}`,
    video_meta_hover: 'Channel: somebody',
    message: isDone ? 'Finished; 120 BPM' : 'The platform cannot be reached',
    error_code: null,
    created_at: 1_700_000_000_000 + index * 1000,
    queued_at: 1_700_000_000_000 + index * 1000,
    finished_at: 1_700_000_060_000 + index * 1000,
    filesize_bytes: 3_000_000,
    duration_ms: 180_000,
    codec: 'aac',
    bitrate_kbps: 128,
    bpm: 120,
    bpm_confidence: 0.9,
    bpm_alternative: 60,
    audio_hash: 'a'.repeat(64),
    artifact: isDone ? 'source.m4a' : null,
    stem_ms: 0,
  }
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
