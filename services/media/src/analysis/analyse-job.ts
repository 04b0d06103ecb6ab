import type { Kysely } from 'kysely'
import type { Log, Timers } from '@hearth/runtime'
import type { JobRow, Tables } from '../database/tables.ts'
import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { JobHand } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { Analyser, AudioAnalysis } from './analyse-audio.ts'
import { findAnalysis, saveAnalysis } from './store.ts'

/** Finds out what an audio file is like and finishes its job; the file is good whatever comes of it. */
export type AnalyseJob = (job: JobRow, fetched: FetchedFile, hand: JobHand) => Promise<void>

export interface AnalyseParts {
  readonly db: Kysely<Tables>
  readonly analyser: Analyser
  readonly settings: () => Settings
  readonly timers: Timers
  readonly log: Log
}

export function createAnalyseJob(parts: AnalyseParts): AnalyseJob {
  return async (job, { file, facts }, hand) => {
    const { audio_analysis_max_minutes: most, audio_analysis_timeout_minutes: limit } = parts.settings()
    const isTooLong = most > 0 && facts.durationMs > most * 60_000
    const values = (more: JobValues): JobValues => ({ ...more, finished_at: parts.timers.now(), lease_until: null })
    let analysis: AudioAnalysis
    try {
      const hash = await parts.analyser.hash(file, hand.signal)
      if (isTooLong)
        return void (await hand.advance(
          'finished',
          values({
            audio_hash: hash,
            message: `Finished; longer than ${most} minutes, so the tempo was not looked for`,
          }),
        ))
      const known = await findAnalysis(parts.db, hash)
      analysis =
        known ??
        (await parts.analyser.analyse(file, {
          hash,
          durationSeconds: facts.durationMs / 1000,
          signal: hand.signal,
          timeoutMs: limit * 60_000,
        }))
      if (known === undefined) await saveAnalysis(parts.db, analysis)
    } catch (error) {
      if (hand.signal.aborted) throw error
      parts.log.warn({ err: error, job: job.id }, 'an analysis failed')
      return void (await hand.advance('finished', values({ message: 'Finished; the tempo could not be found out' })))
    }
    await hand.advance('analysed', values(analysisValues(analysis)))
  }
}

function analysisValues({ bpm, confidence, alternativeBpm, hash }: AudioAnalysis): JobValues {
  return {
    bpm,
    bpm_confidence: confidence,
    bpm_alternative: alternativeBpm,
    audio_hash: hash,
    message: bpm === null ? 'Finished; it has no steady beat' : `Finished; ${bpm} BPM`,
  }
}
