import { withDeviationOne } from './series.ts'
import { envelopeRate } from './onset-envelope.ts'

/** Cost of a beat that comes early or late, against the strength of its onset. */
const tightness = 100

/**
 * The most convincing row of beats at about `bpm`: indexes into the envelope. Each beat lies where something begins and about
 * one period after the one before; found by dynamic programming over all rows.
 */
export function trackBeats(envelope: Float64Array, bpm: number): number[] {
  const period = (60 * envelopeRate) / bpm
  const strength = smoothed(envelope, period / 32)
  const [from, to] = [Math.max(1, Math.round(period / 2)), Math.round(period * 2)]
  const costs = Float64Array.from({ length: to + 1 }, (_, lag) => tightness * Math.log(Math.max(1, lag) / period) ** 2)
  const totals = new Float64Array(strength.length)
  const previous = new Int32Array(strength.length).fill(-1)
  for (let index = 0; index < strength.length; index += 1) {
    let best = 0
    for (let lag = from; lag <= to && lag <= index; lag += 1) {
      const total = (totals[index - lag] as number) - (costs[lag] as number)
      if (total > best) {
        best = total
        previous[index] = index - lag
      }
    }
    totals[index] = (strength[index] as number) + best
  }
  return followBack(totals, previous, period)
}

/** From the best of the last beats back to the first one. */
function followBack(totals: Float64Array, previous: Int32Array, period: number): number[] {
  let last = Math.max(0, totals.length - Math.ceil(period))
  for (let index = last; index < totals.length; index += 1)
    if ((totals[index] as number) > (totals[last] as number)) last = index
  const beats: number[] = []
  for (let beat = last; beat >= 0; beat = previous[beat] ?? -1) beats.push(beat)
  return beats.toReversed()
}

/** Smoothed by a bell curve and brought to standard deviation 1, so that the cost of a late beat means the same everywhere. */
function smoothed(values: Float64Array, width: number): Float64Array {
  const reach = Math.ceil(width * 3)
  const bell = Float64Array.from({ length: 2 * reach + 1 }, (_, index) =>
    Math.exp(-0.5 * ((index - reach) / width) ** 2),
  )
  const result = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1) {
    const [from, to] = [Math.max(0, index - reach), Math.min(values.length - 1, index + reach)]
    let sum = 0
    for (let near = from; near <= to; near += 1)
      sum += (values[near] as number) * (bell[near - index + reach] as number)
    result[index] = sum
  }
  return withDeviationOne(result)
}
