import type { Log, Timers } from '@hearth/runtime'
import type { JobRow } from '../tables.ts'
import type { AnalyseJob, FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { JobHandle } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { Analyser, AudioAnalysis } from './analyse-audio.ts'
import { hashFile } from './hash-file.ts'

export interface AnalyseDependencies {
  readonly analyser: Analyser
  readonly settings: () => Settings
  readonly timers: Timers
  readonly log: Log
}

/** Creates the analysis step of a job. */
export function createAnalyseJob(dependencies: AnalyseDependencies): AnalyseJob {
  return async (job, fetched, handle) => {
    const { step, values } = await conclude(dependencies, { job, fetched, handle })
    await handle.advance(step, { ...values, finished_at: dependencies.timers.now(), lease_until: null })
  }
}

interface Conclusion {
  readonly step: 'finished' | 'analysed'
  readonly values: JobValues
}

async function conclude(
  { analyser, settings, log }: AnalyseDependencies,
  { job, fetched, handle }: { job: JobRow; fetched: FetchedFile; handle: JobHandle },
): Promise<Conclusion> {
  const { file, facts } = fetched
  const { audio_analysis_max_minutes: maxMinutes, audio_analysis_timeout_minutes: limit } = settings()
  const { signal } = handle
  try {
    if (maxMinutes > 0 && facts.durationMs > maxMinutes * 60_000) {
      const message = `Finished; longer than ${maxMinutes} minutes, so the tempo was not looked for`
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
