import type { Quality } from '../platforms/schema.ts'
import { partSeconds } from '../workbench/schema.ts'
import type { ExportPlan } from './schema.ts'
import type { ExportRow } from './tables.ts'

/** Bytes that an export takes. */
export interface ExportSize {
  /** Of all its files. */
  readonly stored: number
  /** On the disk while they are made, beside them. */
  readonly work: number
}

/** Room for the files of exports, within the budget and on the disk. */
export interface ExportRoom {
  /** Throws a problem for an export that cannot fit. */
  checkExport(size: ExportSize): Promise<void>
  /**
   * Keeps room for the files of a running export, and makes it if that is possible; it is kept while this attempt runs. Throws a
   * `MediaFailure` when there is none.
   */
  reserveExport(row: Pick<ExportRow, 'id' | 'attempt'>, size: ExportSize & { readonly title: string }): Promise<void>
}

/** The sound that parts are cut out of, as far as it decides about sizes. */
export interface ExportSource {
  readonly sampleRate: number
  readonly channels: number
  readonly quality: Quality
  /** Bytes of the cover that goes into each file. */
  readonly coverBytes: number
}

/** What a sound has at least, before it is looked at: nothing is refused that would fit. */
export const leastSource = { sampleRate: 22_050, channels: 1, coverBytes: 0 } as const

/** Bytes a second of the formats with a bit rate, at the most. A variable one may be above what it is named after. */
const rates: Readonly<Record<string, (quality: Quality) => number>> = {
  mp3: () => 40_000,
  'mp3-320': () => 40_000,
  'mp3-192': () => 24_000,
  'mp3-128': () => 16_000,
  opus: (quality) => ({ max: 24_000, medium: 17_000, small: 10_000 })[quality],
}

/** Bytes of a sample in a stored file without a bit rate, and in one between two steps. */
const [storedSample, workSample] = [2, 4]
/** Header and tags of a file, bytes. */
const head = 16_384

/** Estimates what an export takes at the most. What FLAC saves is not known before. */
export function estimateExport(plan: ExportPlan, source: ExportSource): ExportSize {
  const { sampleRate, channels, quality, coverBytes } = source
  const lengths = plan.parts.map(partSeconds)
  const speed = plan.tempo_percent / 100
  const seconds = lengths.reduce((sum, length) => sum + length, 0)
  const perSecond = rates[plan.format]?.(quality) ?? sampleRate * channels * storedSample
  const files = plan.joined ? 1 : lengths.length
  const isStretched = speed !== 1 || plan.semitones !== 0
  // Files are stretched one at a time, each beside all parts.
  const stretched = isStretched ? (plan.joined ? seconds : Math.max(...lengths)) / speed : 0
  return {
    stored: Math.ceil((seconds / speed) * perSecond) + files * (head + coverBytes),
    work: Math.ceil((seconds + stretched) * sampleRate * channels * workSample),
  }
}
