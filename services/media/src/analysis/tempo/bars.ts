import { meanBar, type BeatProfile } from './beat-profile.ts'
import { scoresOf } from './network.ts'
import { metres, type TempoModel } from './tempo-model.ts'

/** Beats that are looked at together, and how far one look is from the next. */
const look = { beats: 64, step: 32 } as const
/** Cost of bars that begin elsewhere from one look to the next, in logarithms of likelihood. */
const moveCost = 5

/** Finds the places of beats at which bars begin. Bars may begin anew in the course of a piece, where much speaks for it. */
export function findDownbeats(
  model: TempoModel,
  { metre, profile }: { readonly metre: number; readonly profile: BeatProfile },
): number[] {
  const index = metres.findIndex((one) => one.metre === metre)
  const [kind, network] = [metres[index], model.bars[index]]
  if (kind === undefined || network === undefined) return []
  const perBar = kind.beats
  const starts = Array.from(
    { length: Math.max(1, Math.ceil((profile.beats - look.beats) / look.step) + 1) },
    (_, turn) => turn * look.step,
  )
  const likelihoods = starts.map((from) => {
    const part = partOf(profile, from, Math.min(profile.beats, from + look.beats))
    const scores = Array.from(
      { length: perBar },
      (_, first) => scoresOf(network, meanBar(part, perBar, first))[0] as number,
    )
    const total =
      Math.log(scores.reduce((sum, score) => sum + Math.exp(score - Math.max(...scores)), 0)) + Math.max(...scores)
    // A look begins at any beat of the piece: its first beat of a bar is told from the beginning of the piece.
    return Array.from(
      { length: perBar },
      (_, first) => (scores[(((first - from) % perBar) + perBar) % perBar] as number) - total,
    )
  })
  const firsts = bestPath(likelihoods)
  const downbeats: number[] = []
  for (let beat = 0; beat <= profile.beats; beat += 1) {
    const turn = Math.min(starts.length - 1, Math.max(0, Math.round((beat - look.beats / 2) / look.step)))
    if ((beat - (firsts[turn] as number)) % perBar === 0) downbeats.push(beat)
  }
  return downbeats
}

function partOf({ envelopes, values, beats }: BeatProfile, from: number, to: number): BeatProfile {
  const size = values.length / Math.max(1, beats)
  return { envelopes, beats: to - from, values: values.subarray(from * size, to * size) }
}

/** The likeliest row of states, in which a change costs. */
function bestPath(likelihoods: readonly (readonly number[])[]): number[] {
  let totals = [...(likelihoods[0] ?? [])]
  const origins: number[][] = []
  for (const row of likelihoods.slice(1)) {
    const best = totals.indexOf(Math.max(...totals))
    const from = row.map((_, state) =>
      (totals[state] as number) >= (totals[best] as number) - moveCost ? state : best,
    )
    totals = row.map((value, state) => {
      const origin = from[state] as number
      return value + (totals[origin] as number) - (origin === state ? 0 : moveCost)
    })
    origins.push(from)
  }
  const path = [totals.indexOf(Math.max(...totals))]
  for (const from of origins.toReversed()) path.unshift(from[path[0] as number] as number)
  return path
}
