import { longest, shortest, type Part } from './part.ts'

/** Beats of a sound: one at `first`, and one every 60 / `bpm` seconds. */
export interface BeatGrid {
  bpm: number
  first: number
}

/** A tempo is stored as a whole number; the true one lies within half a beat a minute of it. */
const rounding = 0.5

/** Fewer values a second than this cannot tell where a beat is. */
const coarsest = 20

/** Returns true if a waveform is fine enough to find beats in it. */
export const isFine = ({ peaks, duration_seconds: seconds }: Shape): boolean => peaks.length / seconds >= coarsest

/** The loudest samples of equal stretches of a sound. */
export interface Shape {
  peaks: readonly number[]
  duration_seconds: number
}

/** As much of a sound as is looked at, in seconds; beyond that a steady beat has shown itself. */
const lookedAt = 600

/**
 * Finds the beats in the shape of a sound whose tempo is known to a whole number: the tempo within its rounding whose beats
 * fall best together with where the sound gets louder, and where they are. Undefined when the shape is too coarse to tell.
 */
export function fitBeatGrid(shape: Shape, bpm: number): BeatGrid | undefined {
  if (!isFine(shape)) return undefined
  const rate = shape.peaks.length / shape.duration_seconds
  const rises = risesOf(shape.peaks.slice(0, Math.ceil(lookedAt * rate)))
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
  const least = Math.ceil(shortest / step)
  const most = Math.floor((Math.min(longest, duration - start) + 1e-6) / step)
  const steps = Math.min(Math.max(wanted, least), most)
  const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000
  // So near to the end nothing long enough begins on a beat.
  if (steps < least) return part
  return { start: toMilliseconds(start), end: toMilliseconds(start + steps * step) }
}
