import { z } from 'zod'
import { analyserVersion, type Analyser } from '../analysis/analyse-audio.ts'
import { AnalysisFailed } from '../analysis/analysis-thread.ts'
import type { TrackedBeats } from '../analysis/tempo/find-beats.ts'
import { createDerivedJson, soundOf } from '../delivery/derived-json.ts'
import type { DerivedDependencies } from '../delivery/derived-file.ts'
import { Problem, unavailable } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import { BeatGrid } from './schema.ts'

/** A grid as it is kept: with the version of the analysis that found it, and the tempo it was found for. */
const KeptGrid = z.object({ version: z.int(), wanted: z.int(), grid: BeatGrid.omit({ confidence: true }) })
type KeptGrid = z.infer<typeof KeptGrid>

/** Grid of a sound that has no tempo. */
const noBeats: BeatGrid = { bpm: null, metre: null, confidence: 0, beats: [], downbeats: [] }

export interface BeatDependencies extends Pick<DerivedDependencies, 'jobs' | 'artifacts' | 'folder'> {
  readonly analyser: Pick<Analyser, 'findBeats'>
  readonly settings: () => Settings
}

/**
 * Creates the beat grids of finished sounds: each is found once for a tempo, and kept. The tempo is the one that the job has,
 * found or set by a person; without one there are no beats. A problem is thrown for a job without a sound.
 */
export function createBeats(dependencies: BeatDependencies) {
  const gridOf = createDerivedJson(dependencies, {
    name: 'beats.json',
    schema: KeptGrid,
    compute: (path, job, signal) => findGrid(dependencies, { path, bpm: job.bpm ?? 0, signal }),
    isCurrent: (kept, { bpm }) => kept.version === analyserVersion && kept.wanted === bpm,
    busy: 'The beats of too many sounds are being found; try again',
    late: 'The beats could not be found in time; try again',
  })
  return async (jobId: string): Promise<BeatGrid> => {
    const job = await soundOf(dependencies, jobId)
    if (job.bpm === null) return noBeats
    const { grid } = await gridOf(job)
    return { ...grid, confidence: job.bpm_confidence ?? 0 }
  }
}

async function findGrid(
  { analyser, settings }: BeatDependencies,
  { path, bpm, signal }: { path: string; bpm: number; signal: AbortSignal },
): Promise<KeptGrid> {
  const timeoutMs = settings().audio_analysis_timeout_minutes * 60_000
  try {
    const found = await analyser.findBeats(path, bpm, { signal, timeoutMs })
    return { version: analyserVersion, wanted: bpm, grid: describeGrid(found) }
  } catch (error) {
    throw problemOf(error)
  }
}

const thousandth = (value: number): number => Math.round(value * 1000) / 1000

function describeGrid({ bpm, metre, beats, downbeats, curve }: TrackedBeats): KeptGrid['grid'] {
  const times = beats.map((beat) => thousandth(Math.max(0, beat)))
  const points = curve.map((point) => ({ at: thousandth(point.at), bpm: thousandth(point.bpm) }))
  return {
    bpm: thousandth(bpm),
    metre,
    beats: times,
    downbeats: [...downbeats],
    ...(points.length === 0 ? {} : { curve: points }),
  }
}

/** The problem behind a failed analysis; other errors stay. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof AnalysisFailed)) return error
  const isLater = error.problem === 'busy' || error.problem === 'timeout' || error.problem === 'closed'
  return isLater
    ? unavailable(`The beats were not found: ${error.message}`, 60)
    : new Problem(500, `The beats were not found: ${error.message}`, { cause: error })
}
