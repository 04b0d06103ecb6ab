import type { Waveform } from '../api.ts'
import { maxLength, minLength, toMilliseconds, type Part } from './part.ts'

/** Beats of a sound: one at `first`, and one every 60 / `bpm` seconds. */
export interface BeatGrid {
  bpm: number
  first: number
}

/** A tempo is stored as a whole number; the true one lies within half a beat a minute of it. */
const rounding = 0.5

/** Minimum of values a second that show where a beat is. */
const minRate = 20

/** Returns true if a waveform is fine enough to find beats in it. */
export const isFine = ({ peaks, duration_seconds: seconds }: Waveform): boolean => peaks.length / seconds >= minRate

/** Length of the sound that is searched for beats, seconds; a steady beat shows by then. */
const searchedLength = 600

/**
 * Finds the beats in the shape of a sound whose tempo is known to a whole number: the tempo within its rounding whose beats
 * fall best together with where the sound gets louder, and where they are. Undefined when the shape is too coarse to tell.
 */
export function fitBeatGrid(shape: Waveform, bpm: number): BeatGrid | undefined {
  if (!isFine(shape)) return undefined
  const rate = shape.peaks.length / shape.duration_seconds
  const rises = risesOf(shape.peaks.slice(0, Math.ceil(searchedLength * rate)))
  // Neighbouring tempi differ by a quarter of a beat over the whole length.
  const step = 15 / (rises.length / rate)
  const steps = Math.min(400, Math.ceil(rounding / step))
  let best = { bpm, first: 0, strength: -1 }
  for (let n = -steps; n <= steps; n += 1) {
    const tempo = bpm + (n * rounding) / steps
    const found = { bpm: tempo, ...beatsAt(rises, rate, tempo) }
    if (found.strength > best.strength) best = found
  }
  return { bpm: best.bpm, first: best.first }
}

/** Rise in level of each stretch over the one before. */
function risesOf(peaks: readonly number[]): Float64Array {
  return Float64Array.from(peaks, (peak, place) => Math.max(0, peak - (peaks[place - 1] ?? 0)))
}

/** Fit of the rises to a tempo, and the position of its first beat: one coefficient of a Fourier series. */
function beatsAt(rises: Float64Array, rate: number, bpm: number): { first: number; strength: number } {
  const period = (60 / bpm) * rate
  const angle = (2 * Math.PI) / period
  const [turnX, turnY] = [Math.cos(angle), Math.sin(angle)]
  let [x, y, sumX, sumY] = [1, 0, 0, 0]
  for (const rise of rises) {
    sumX += rise * x
    sumY += rise * y
    ;[x, y] = [x * turnX - y * turnY, x * turnY + y * turnX]
  }
  const phase = Math.atan2(sumY, sumX) / (2 * Math.PI)
  return { first: ((phase < 0 ? phase + 1 : phase) * period) / rate, strength: Math.hypot(sumX, sumY) }
}

/** The nearest beat, or every so many beats counted from the first, that is not before the beginning. */
export function snapToBeat(seconds: number, grid: BeatGrid, every = 1): number {
  const step = (60 / grid.bpm) * every
  const nearest = grid.first + Math.round((seconds - grid.first) / step) * step
  return nearest < 0 ? nearest + step * Math.ceil(-nearest / step) : nearest
}

/** Both ends of a part on beats, or on every so many of them: long enough, and inside a sound of that length. */
export function snapPart(part: Part, grid: BeatGrid, { every, duration }: { every: number; duration: number }): Part {
  const step = (60 / grid.bpm) * every
  const start = snapToBeat(part.start, grid, every)
  const wanted = Math.round((part.end - part.start) / step)
  const min = Math.ceil(minLength / step)
  const max = Math.floor((Math.min(maxLength, duration - start) + 1e-6) / step)
  const steps = Math.min(Math.max(wanted, min), max)
  // So near to the end nothing long enough begins on a beat.
  if (steps < min) return part
  return { start: toMilliseconds(start), end: toMilliseconds(start + steps * step) }
}
