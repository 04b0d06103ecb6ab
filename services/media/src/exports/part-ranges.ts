import { partSeconds, type ExportPart } from '../workbench/schema.ts'
import type { SampleRange } from './filters.ts'

/** Maximum length of all parts of an export together, seconds. */
export const maxSeconds = 3 * 3600

/** Length of all parts together, seconds. */
export const totalSeconds = (parts: readonly ExportPart[]): number =>
  parts.reduce((sum, part) => sum + partSeconds(part), 0)

/** End of a part, seconds. */
export const endOf = (part: ExportPart): number => part.start + partSeconds(part)

/**
 * Returns the samples of a part. Both ends are rounded by themselves, so that parts that touch lose and repeat nothing; the length
 * of a loop is rounded as a whole, so that it has exactly that many beats.
 */
export function rangeOf(part: ExportPart, sampleRate: number): SampleRange {
  const start = Math.round(part.start * sampleRate)
  const end =
    part.loop === null ? Math.round(part.end * sampleRate) : start + Math.round(partSeconds(part) * sampleRate)
  const fadeIn = Math.min(Math.round(part.fade_in * sampleRate), end - start)
  const fadeOut = Math.min(Math.round(part.fade_out * sampleRate), end - start - fadeIn)
  return { start, end, fadeIn, fadeOut }
}
