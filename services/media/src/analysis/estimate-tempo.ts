import { trackBeats } from './beat-tracker.ts'
import { envelopeRate, onsetEnvelopes } from './onset-envelope.ts'
import { onsetDensity } from './octave-rule.ts'
import { supportOf, type Pulse } from './pulse.ts'
import { beginningAndEnd, isChange, partTempo, type PartTempo } from './tempo-change.ts'
import { fit, longFit, refineTempo } from './tempo-comb.ts'
import { calibrated, candidatesOf, chooseTempo } from './tempo/choose-tempo.ts'
import { beginnings, onBeat, secondsOf } from './tempo/find-beats.ts'
import { meanTempo } from './tempo/tempo-curve.ts'
import { readTempoModel, type TempoModel } from './tempo/tempo-model.ts'

/** Estimate of the tempo of a piece of music. */
export interface TempoEstimate {
  /** Beats a minute from 40 to 220, not rounded; null when there is no beat. */
  readonly bpm: number | null
  /** The likelier of its half and double. */
  readonly alternative: number | null
  /** Upper number of the time signature, 2 to 7; null without a tempo. */
  readonly metre: number | null
  /** Share of such answers that are right, 0 to 1; at most 0.6 when the tempo changes. */
  readonly confidence: number
  /** Times of the beats, seconds into the samples. */
  readonly beats: readonly number[]
  readonly onsetsPerBeat: number
}

/** Minimum length of music whose tempo is estimated, seconds. */
export const minSeconds = 8

/** The estimate of a sound without a beat. */
export const noTempo: TempoEstimate = {
  bpm: null,
  alternative: null,
  metre: null,
  confidence: 0,
  beats: [],
  onsetsPerBeat: 0,
}
/** Maximum confidence of a tempo that is not the only one. */
const maxConfidenceWithChange = 0.6
/** Share of the fit of four beats in ten seconds below which the fit of sixteen beats of the whole means that the tempo changes. */
const steadyShare = 0.65

/**
 * Estimates the tempo of mono samples, best at 22.05 kHz. `probes` are further pieces of the same track: when one of them, or
 * the end of the piece against its beginning, goes at another tempo, the tempo that holds for longer is given and is less
 * sure. The same samples always give the same answer.
 */
export function estimateTempo(
  samples: Float32Array,
  sampleRate: number,
  probes: readonly Float32Array[] = [],
): TempoEstimate {
  const isLong = (piece: Float32Array) => piece.length >= minSeconds * sampleRate
  if (!isLong(samples)) return noTempo
  const model = readTempoModel()
  const envelopes = onsetEnvelopes(samples, sampleRate)
  const whole = partTempo(envelopes)
  const [beginning, end] = beginningAndEnd(envelopes)
  if (beginning !== undefined && end !== undefined && isChange(beginning, end))
    return limited(estimateOf(model, longerOf(whole.pulse, beginning, end)))
  const others = probes.filter(isLong).map((probe) => partTempo(onsetEnvelopes(probe, sampleRate)))
  const estimate = estimateOf(model, whole)
  return others.some((other) => isChange(whole, other)) ? limited(estimate) : estimate
}

function limited(estimate: TempoEstimate): TempoEstimate {
  return { ...estimate, confidence: Math.min(maxConfidenceWithChange, estimate.confidence) }
}

/** The part whose tempo holds for longer: it fits the whole better. */
function longerOf({ correlation }: Pulse, one: PartTempo, other: PartTempo): PartTempo {
  return fit(correlation, one.bpm) >= fit(correlation, other.bpm) ? one : other
}

/** Likelihood of a beat below which no tempo is given. */
const minBeat = 0.4

function estimateOf(model: TempoModel, { pulse }: PartTempo): TempoEstimate {
  const { envelopes } = pulse
  const chosen = chooseTempo(model, candidatesOf(envelopes))
  if (chosen === undefined || chosen.beat < minBeat) return noTempo
  const refined = refineTempo(pulse.correlation, chosen.bpm)
  const beats = onBeat(envelopes, trackBeats(beginnings(envelopes), refined), model)
  const isSteady = longFit(pulse.correlation, refined) >= steadyShare * supportOf(pulse, refined)
  const bpm = isSteady || beats.length < 4 ? refined : meanTempo(beats.map((beat) => beat / envelopeRate))
  const octaves = chosen.alternative === null ? null : Math.round(Math.log2(chosen.alternative / chosen.bpm))
  return {
    bpm,
    alternative: octaves === null ? null : bpm * 2 ** octaves,
    metre: chosen.metre,
    confidence: calibrated(model, chosen.share) * chosen.beat,
    beats: secondsOf(envelopes, beats),
    onsetsPerBeat: (onsetDensity(envelopes.whole) * 60) / bpm,
  }
}
