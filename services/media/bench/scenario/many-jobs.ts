import type { Database } from '@hearth/database'
import type { JobRow, Tables } from '../../src/tables.ts'
import { finishedJob } from '../../test/job-row.ts'

/** Stores the jobs with these numbers, as if they had been done or failed long ago. */
export async function addManyJobs(query: Database<Tables>['query'], from: number, to: number): Promise<void> {
  await query.transaction().execute(async (trx) => {
    for (let index = from; index < to; index += 500) {
      const rows = Array.from({ length: Math.min(500, to - index) }, (_, offset) => jobRow(index + offset))
      await trx.insertInto('jobs').values(rows).execute()
    }
  })
}

function jobRow(index: number): JobRow {
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
