import { withDeviationOne } from '../series.ts'
import type { OnsetEnvelopes } from '../onset-envelope.ts'

/** Places of a beat that are told apart: twelfths, so that halves, thirds and quarters are among them. */
export const places = 12
/** Places of a tracked beat at which the true one may lie. */
export const phases = [0, 3, 4, 6, 8, 9] as const

/** What begins at each twelfth of each beat: one value for each envelope, in the order of beats, places and envelopes. */
export interface BeatProfile {
  readonly beats: number
  readonly envelopes: number
  readonly values: Float64Array
}

/** Values beyond this count as it, in deviations. */
const loudest = 4

/** Reads what begins around beats, given as places in the envelopes. */
export function beatProfile(onsets: OnsetEnvelopes, beats: readonly number[]): BeatProfile {
  const series = [onsets.whole, ...onsets.ranges, onsets.change].map(withDeviationOne)
  const count = Math.max(0, beats.length - 1)
  const values = new Float64Array(count * places * series.length)
  for (let beat = 0; beat < count; beat += 1) {
    const [begin, end] = [beats[beat] as number, beats[beat + 1] as number]
    const reach = Math.max(1, Math.min(3, Math.round((end - begin) / places / 2)))
    for (let place = 0; place < places; place += 1) {
      const at = Math.round(begin + ((end - begin) * place) / places)
      for (const [number, one] of series.entries()) {
        let peak = 0
        for (let near = at - reach; near <= at + reach; near += 1) peak = Math.max(peak, one[near] ?? 0)
        values[(beat * places + place) * series.length + number] = Math.min(loudest, peak)
      }
    }
  }
  return { beats: count, envelopes: series.length, values }
}

/** The mean beat of a profile, as if beats began at a place: a value for each place and envelope. */
export function meanBeat({ beats, envelopes, values }: BeatProfile, phase: number): Float64Array {
  const mean = new Float64Array(places * envelopes)
  const shift = phase * envelopes
  for (let beat = 0; beat < beats; beat += 1)
    for (let index = 0; index < mean.length; index += 1)
      mean[index] =
        (mean[index] as number) + (values[beat * mean.length + ((index + shift) % mean.length)] as number) / beats
  return mean
}

/**
 * The mean bar of a profile, as if a bar began at beat `first`: for each beat of the bar what begins at it and in its middle,
 * against the mean of all beats.
 */
export function meanBar({ beats, envelopes, values }: BeatProfile, beatsPerBar: number, first: number): Float64Array {
  const size = 2 * envelopes
  const sums = new Float64Array(beatsPerBar * size)
  const counts = new Float64Array(beatsPerBar)
  for (let beat = 0; beat < beats; beat += 1) {
    const at = (((beat - first) % beatsPerBar) + beatsPerBar) % beatsPerBar
    counts[at] = (counts[at] as number) + 1
    for (let half = 0; half < 2; half += 1)
      for (let number = 0; number < envelopes; number += 1) {
        const value = values[(beat * places + (half * places) / 2) * envelopes + number] as number
        const index = at * size + half * envelopes + number
        sums[index] = (sums[index] as number) + value
      }
  }
  const mean = sums.map((sum, index) => sum / Math.max(1, counts[Math.floor(index / size)] as number))
  return mean.map((value, index) => {
    let all = 0
    for (let at = 0; at < beatsPerBar; at += 1) all += mean[at * size + (index % size)] as number
    return value - all / beatsPerBar
  })
}

/** Beats moved by so many twelfths of the way to the next. */
export function shifted(beats: readonly number[], phase: number): number[] {
  return beats.slice(0, -1).map((beat, index) => beat + (((beats[index + 1] as number) - beat) * phase) / places)
}
