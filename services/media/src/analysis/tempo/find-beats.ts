import { trackBeats } from '../beat-tracker.ts'
import { weightedSum, withDeviationOne } from '../series.ts'
import { cutEnvelopes, envelopeRate, type OnsetEnvelopes } from '../onset-envelope.ts'
import { findDownbeats } from './bars.ts'
import { beatProfile, meanBeat, phases, shifted } from './beat-profile.ts'
import { candidatesOf, metreAt } from './choose-tempo.ts'
import { scoresOf } from './network.ts'
import { tempoCurve, type TempoPoint } from './tempo-curve.ts'
import { readTempoModel, type TempoModel } from './tempo-model.ts'

/** Beats of a sound whose tempo is known. */
export interface TrackedBeats {
  /** Mean tempo of the beats, BPM. */
  readonly bpm: number
  /** Upper number of the time signature; null when there are too few beats to tell. */
  readonly metre: number | null
  /** Times of the beats, seconds into the samples. */
  readonly beats: readonly number[]
  /** Places in `beats` at which bars begin. */
  readonly downbeats: readonly number[]
  /** The tempo over time, where it drifts or changes; empty where it stays. */
  readonly curve: readonly TempoPoint[]
}

/** Beats that are enough to tell bars from. */
const minBeats = 8
/** Part of a long sound that metre is told from, seconds: its middle. */
const metreSeconds = 120

/** Finds the beats and bars of a sound whose tempo is known. */
export function findBeats(onsets: OnsetEnvelopes, bpm: number, model: TempoModel = readTempoModel()): TrackedBeats {
  const tracked = trackBeats(beginnings(onsets), bpm)
  if (tracked.length < minBeats)
    return { bpm, metre: null, beats: secondsOf(onsets, tracked), downbeats: [], curve: [] }
  const places = onBeat(onsets, tracked, model)
  const metre = metreAt(model, candidatesOf(middleOf(onsets)), bpm)
  const beats = secondsOf(onsets, places)
  const downbeats = findDownbeats(model, { metre, profile: beatProfile(onsets, places) })
  return { ...tempoCurve(beats, bpm), metre, beats, downbeats }
}

/** All envelopes together: where anything begins. */
export function beginnings({ whole, ranges, change }: OnsetEnvelopes): Float64Array {
  const series = [whole, whole, ...ranges, change].map(withDeviationOne)
  return weightedSum(
    series,
    series.map(() => 1 / series.length),
  )
}

/** Tracked beats moved to where the beat is: they may lie between, where more begins. */
export function onBeat(onsets: OnsetEnvelopes, tracked: readonly number[], model: TempoModel): number[] {
  const profile = beatProfile(onsets, tracked)
  const scores = phases.map((phase) => scoresOf(model.phase, meanBeat(profile, phase))[0] as number)
  const phase = phases[scores.indexOf(Math.max(...scores))] ?? 0
  return withFirst(phase === 0 ? [...tracked] : shifted(tracked, phase))
}

/** Places this near to the beginning of the envelopes are drawn to it: what began before cannot be seen. */
const unseen = 6

/** A first beat so near to the beginning lies where the next ones say. */
function withFirst(places: number[]): number[] {
  const [first, second, third] = places
  if (first === undefined || second === undefined || third === undefined || first >= unseen) return places
  return [2 * second - third, ...places.slice(1)]
}

function middleOf(onsets: OnsetEnvelopes): OnsetEnvelopes {
  const excess = Math.max(0, onsets.whole.length - metreSeconds * envelopeRate)
  const from = Math.floor(excess / 2)
  return cutEnvelopes(onsets, from, onsets.whole.length - excess + from)
}

/** Seconds of places in the envelopes. */
export const secondsOf = ({ begin }: OnsetEnvelopes, places: readonly number[]): number[] =>
  places.map((place) => Math.max(0, begin + place / envelopeRate))
