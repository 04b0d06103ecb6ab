import type { Log, Timers } from '@hearth/runtime'
import type { JobRow } from '../tables.ts'
import type { AnalyseJob, FetchedFile } from '../jobs/run-job.ts'
import type { JobValues } from '../jobs/store.ts'
import type { Settings } from '../settings/schema.ts'
import { analyserVersion, type Analyser, type AudioAnalysis } from './analyse-audio.ts'
import { octaveFrom } from './octave-rule.ts'
import { keyName } from '../music/musical-keys.ts'

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

/** Returns the values of a job's row that an analysis finds. */
export function analysisValues(found: AudioAnalysis) {
  return {
    bpm: found.bpm,
    bpm_confidence: found.confidence,
    bpm_alternative: found.alternativeBpm,
    ...valuesWithoutTempo(found),
  } satisfies JobValues
}

/** Tells whether a sound is longer than those whose tempo is looked for. */
export function isTooLongForTempo(settings: Settings, durationMs: number | null): boolean {
  const { audio_analysis_max_minutes: maxMinutes } = settings
  return maxMinutes > 0 && durationMs !== null && durationMs > maxMinutes * 60_000
}

/** The values that an analysis finds in a sound whose tempo was not looked for. */
export function valuesWithoutTempo(found: AudioAnalysis) {
  const { levels } = found
  return {
    musical_key: found.key,
    key_confidence: found.keyConfidence,
    loudness_lufs: levels.loudnessLufs,
    loudness_range_lu: levels.rangeLu,
    true_peak_dbtp: levels.truePeakDbtp,
    silence_start_ms: levels.silenceStartMs,
    silence_end_ms: levels.silenceEndMs,
    analyser_version: analyserVersion,
    audio_hash: found.hash,
  } satisfies JobValues
}

/** Returns the values of the job's row; without `bpm` when the file was not analysed. */
async function analyse(
  { analyser, settings, log }: AnalyseDependencies,
  { job, fetched, signal }: { job: JobRow; fetched: FetchedFile; signal: AbortSignal },
): Promise<JobValues> {
  const { file, facts } = fetched
  const current = settings()
  const withTempo = !isTooLongForTempo(current, facts.durationMs)
  try {
    const found = await analyser.analyse(file, {
      durationSeconds: facts.durationMs / 1000,
      signal,
      timeoutMs: current.audio_analysis_timeout_minutes * 60_000,
      octaveWindow: octaveFrom(current.tempo_range_from),
      withTempo,
    })
    const key = found.key === null ? '' : `, ${keyName(found.key)}`
    if (!withTempo) {
      const message = `Finished; longer than ${minutes(current)}, so its tempo was not looked for${key}`
      return { ...valuesWithoutTempo(found), message }
    }
    const message = `Finished; ${found.bpm === null ? 'it has no steady beat' : `${found.bpm} BPM`}${key}`
    return { ...analysisValues(found), message }
  } catch (error) {
    if (signal.aborted) throw error
    log.warn({ err: error, job: job.id }, 'an analysis failed')
    return { message: 'Finished; the analysis failed' }
  }
}

const minutes = ({ audio_analysis_max_minutes: count }: Settings): string =>
  count === 1 ? '1 minute' : `${count} minutes`
