import { trackBeats } from './beat-tracker.ts'
import { envelopeRate, type OnsetEnvelopes } from './onset-envelope.ts'

/** Beats of a sound whose tempo is known. */
export interface TrackedBeats {
  /** Tempo of the beats, BPM. */
  readonly bpm: number
  /** Upper number of the time signature; null when it is not known. */
  readonly metre: number | null
  /** Times of the beats, seconds into the samples. */
  readonly beats: readonly number[]
  /** Places in `beats` at which bars begin. */
  readonly downbeats: readonly number[]
}

/** Finds the beats of a sound whose tempo is known. */
export function findBeatGrid(onsets: OnsetEnvelopes, bpm: number): TrackedBeats {
  const beats = trackBeats(onsets.whole, bpm).map((beat) => onsets.begin + beat / envelopeRate)
  return { bpm, metre: null, beats, downbeats: [] }
}
