import type { BeatGrid } from '../api.ts'
import type { Content, Loop } from './session.ts'

/** Beats as they are counted here. */
export interface Beats {
  /** Seconds, in their order. */
  readonly times: readonly number[]
  readonly bpm: number
  readonly perBar: number
  /** Place of the first beat of a bar, below `perBar`. */
  readonly first: number
}

/** Returns the beats of a sound with what a person said of its bars; undefined for a sound without a beat. */
export function countBeats(found: BeatGrid, grid: Content['grid']): Beats | undefined {
  if (found.bpm === null || found.beats.length < 2) return undefined
  const perBar = grid.beats_per_bar ?? foundPerBar(found)
  const first = ((found.downbeats[0] ?? 0) + grid.shift) % perBar
  return { times: found.beats, bpm: found.bpm, perBar, first }
}

/** Number of beats between two downbeats that most bars have; four while none is known. */
export function foundPerBar({ downbeats }: Pick<BeatGrid, 'downbeats'>): number {
  const counts = new Map<number, number>()
  for (const [index, place] of downbeats.entries()) {
    const length = (downbeats[index + 1] ?? place) - place
    if (length > 0) counts.set(length, (counts.get(length) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1])
  return most?.[0] ?? 4
}

/** Returns true for the place of a beat with which a bar begins. */
export const isDownbeat = ({ perBar, first }: Beats, place: number): boolean => (place - first + perBar) % perBar === 0

/** Place of the first beat that is not before a time; the number of beats when there is none. */
export function firstFrom(times: readonly number[], seconds: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/** The nearest beat, or first beat of a bar; the time itself without beats, or while nothing is snapped to. */
export function snapTo(seconds: number, beats: Beats | undefined, snap: Content['grid']['snap']): number {
  if (beats === undefined || snap === 'off') return seconds
  const { times } = beats
  const next = firstFrom(times, seconds)
  const reach = snap === 'bar' ? beats.perBar : 1
  let best: number | undefined
  for (let place = next - reach; place <= next + reach; place += 1) {
    const time = times[place]
    if (time === undefined || (snap === 'bar' && !isDownbeat(beats, place))) continue
    if (best === undefined || Math.abs(time - seconds) < Math.abs(best - seconds)) best = time
  }
  return best ?? seconds
}

/** The time so many beats further on, or back; seconds where there is none. */
export function stepBeats(seconds: number, beats: Beats | undefined, by: number): number {
  if (beats === undefined) return seconds + by
  const { times } = beats
  const here = firstFrom(times, seconds - 0.001)
  const isOn = Math.abs((times[here] ?? Infinity) - seconds) <= 0.001
  const place = by > 0 && !isOn ? here + by - 1 : here + by
  return times[Math.min(Math.max(0, place), times.length - 1)] ?? seconds
}

/** Start and length of a loop of so many bars from the first beat of the bar at a time. */
export function loopAt(seconds: number, beats: Beats, bars: number): { start: number; end: number; loop: Loop } {
  const loop = { bars, beats_per_bar: beats.perBar, bpm: beats.bpm }
  let place = firstFrom(beats.times, seconds + 0.001) - 1
  while (place > 0 && !isDownbeat(beats, place)) place -= 1
  const start = beats.times[Math.max(0, place)] ?? seconds
  return { start, end: start + (bars * beats.perBar * 60) / beats.bpm, loop }
}
