import type { Log, Timers } from '@hearth/runtime'
import type { JobRow } from '../database/tables.ts'
import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { JobHand } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { Analyser, AudioAnalysis } from './analyse-audio.ts'
import { hashFile } from './hash-file.ts'

/** Finds out what an audio file is like and finishes its job; the file is good whatever comes of it. */
export type AnalyseJob = (job: JobRow, fetched: FetchedFile, hand: JobHand) => Promise<void>

export interface AnalyseParts {
  readonly analyser: Analyser
  readonly settings: () => Settings
  readonly timers: Timers
  readonly log: Log
}

export function createAnalyseJob(parts: AnalyseParts): AnalyseJob {
  return async (job, fetched, hand) => {
    const { step, values } = await conclude(parts, { job, fetched, hand })
    await hand.advance(step, { ...values, finished_at: parts.timers.now(), lease_until: null })
  }
}

interface Conclusion {
  readonly step: 'finished' | 'analysed'
  readonly values: JobValues
}

async function conclude(
  { analyser, settings, log }: AnalyseParts,
  { job, fetched, hand }: { job: JobRow; fetched: FetchedFile; hand: JobHand },
): Promise<Conclusion> {
  const { file, facts } = fetched
  const { audio_analysis_max_minutes: most, audio_analysis_timeout_minutes: limit } = settings()
  const { signal } = hand
  try {
    if (most > 0 && facts.durationMs > most * 60_000) {
      const message = `Finished; longer than ${most} minutes, so the tempo was not looked for`
      return { step: 'finished', values: { audio_hash: await hashFile(file, signal), message } }
    }
    const durationSeconds = facts.durationMs / 1000
    return found(await analyser.analyse(file, { durationSeconds, signal, timeoutMs: limit * 60_000 }))
  } catch (error) {
    if (signal.aborted) throw error
    log.warn({ err: error, job: job.id }, 'an analysis failed')
    return { step: 'finished', values: { message: 'Finished; the tempo could not be found out' } }
  }
}

function found({ bpm, confidence, alternativeBpm, hash }: AudioAnalysis): Conclusion {
  const message = bpm === null ? 'Finished; it has no steady beat' : `Finished; ${bpm} BPM`
  const values = { bpm, bpm_confidence: confidence, bpm_alternative: alternativeBpm, audio_hash: hash, message }
  return { step: 'analysed', values }
}
