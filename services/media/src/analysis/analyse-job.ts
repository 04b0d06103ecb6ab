import type { Log, Timers } from '@hearth/runtime'
import type { JobRow } from '../tables.ts'
import type { AnalyseJob, FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { Settings } from '../settings/schema.ts'
import type { Analyser } from './analyse-audio.ts'
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
    const values = await analyse(dependencies, { job, fetched, signal: handle.signal })
    const step = values.bpm === undefined ? 'finished' : 'analysed'
    await handle.advance(step, { ...values, finished_at: dependencies.timers.now(), lease_until: null })
  }
}

/** Returns the values of the job's row; without `bpm` when the file was not analysed. */
async function analyse(
  { analyser, settings, log }: AnalyseDependencies,
  { job, fetched, signal }: { job: JobRow; fetched: FetchedFile; signal: AbortSignal },
): Promise<JobValues> {
  const { file, facts } = fetched
  const { audio_analysis_max_minutes: maxMinutes, audio_analysis_timeout_minutes: limit } = settings()
  try {
    if (maxMinutes > 0 && facts.durationMs > maxMinutes * 60_000) {
      const message = `Finished; longer than ${maxMinutes} minutes, so the tempo was not looked for`
      return { audio_hash: await hashFile(file, signal), message }
    }
    const options = { durationSeconds: facts.durationMs / 1000, signal, timeoutMs: limit * 60_000 }
    const { bpm, confidence, alternativeBpm, hash } = await analyser.analyse(file, options)
    const message = bpm === null ? 'Finished; it has no steady beat' : `Finished; ${bpm} BPM`
    return { bpm, bpm_confidence: confidence, bpm_alternative: alternativeBpm, audio_hash: hash, message }
  } catch (error) {
    if (signal.aborted) throw error
    log.warn({ err: error, job: job.id }, 'an analysis failed')
    return { message: 'Finished; the tempo could not be found out' }
  }
}
