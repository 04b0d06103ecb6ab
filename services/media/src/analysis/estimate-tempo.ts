import { trackBeats } from './beat-tracker.ts'
import { chooseOctave, onsetDensity } from './octave-rule.ts'
import { envelopeRate, onsetEnvelopes } from './onset-envelope.ts'
import { pulseEnvelope, supportOf, type Pulse } from './pulse.ts'
import { beginningAndEnd, isChange, partTempo, type PartTempo } from './tempo-change.ts'
import { fit, longFit, refineTempo } from './tempo-comb.ts'

/** Estimate of the tempo of a piece of music. */
export interface TempoEstimate {
  /** Beats a minute, not rounded; null when there is no beat, or none sure enough. */
  readonly bpm: number | null
  /** The next likely octave of it. */
  readonly alternative: number | null
  /** 0 to 1; at most 0.6 when the tempo changes. A tempo below 0.35 is not given. */
  readonly confidence: number
  /** Times of the beats, seconds into the samples. */
  readonly beats: readonly number[]
  readonly onsetsPerBeat: number
}

/** Minimum length of music whose tempo is estimated, seconds. */
export const minSeconds = 8

const noTempo: TempoEstimate = { bpm: null, alternative: null, confidence: 0, beats: [], onsetsPerBeat: 0 }
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
  const envelopes = onsetEnvelopes(samples, sampleRate)
  const whole = partTempo(envelopes)
  const [beginning, end] = beginningAndEnd(envelopes)
  if (beginning !== undefined && end !== undefined && isChange(beginning, end))
    return limited(estimateOf(longerOf(whole.pulse, beginning, end)))
  const others = probes.filter(isLong).map((probe) => partTempo(onsetEnvelopes(probe, sampleRate)))
  const estimate = estimateOf(whole)
  return others.some((other) => isChange(whole, other)) ? limited(estimate) : estimate
}

function limited(estimate: TempoEstimate): TempoEstimate {
  return { ...estimate, confidence: Math.min(maxConfidenceWithChange, estimate.confidence) }
}

/** The part whose tempo holds for longer: it fits the whole better. */
function longerOf({ correlation }: Pulse, one: PartTempo, other: PartTempo): PartTempo {
  return fit(correlation, one.bpm) >= fit(correlation, other.bpm) ? one : other
}

function estimateOf({ pulse, bpm: coarse }: PartTempo): TempoEstimate {
  const { whole, begin } = pulse.envelopes
  const density = onsetDensity(whole)
  const refined = refineTempo(pulse.correlation, coarse)
  const octave = chooseOctave(refined, density)
  const envelope = pulseEnvelope(pulse)
  const beats = trackBeats(envelope, octave.bpm)
  const support = supportOf(pulse, octave.bpm)
  const confidence = confidenceOf(support, beats, whole)
  const isSteady = longFit(pulse.correlation, octave.bpm) >= steadyShare * support
  const bpm = isSteady ? octave.bpm : meanTempo(beats, octave.bpm)
  if (confidence < minConfidence) return { ...noTempo, confidence }
  return {
    bpm,
    alternative: octave.alternative === null ? null : (bpm * octave.alternative) / octave.bpm,
    confidence,
    beats: beats.map((beat) => begin + beat / envelopeRate),
    onsetsPerBeat: (density * 60) / bpm,
  }
}

/** The tempo of all beats together, for music that is played freely: the line through their times. */
function meanTempo(beats: readonly number[], otherwise: number): number {
  if (beats.length < 4) return otherwise
  const middle = (beats.length - 1) / 2
  const mean = beats.reduce((sum, beat) => sum + beat, 0) / beats.length
  const covariance = beats.reduce((sum, beat, index) => sum + (index - middle) * (beat - mean), 0)
  const variance = beats.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return (60 * envelopeRate * variance) / covariance
}

/** A tempo less sure than this is no tempo. */
const minConfidence = 0.35

/** Growth of confidence with support: in the design set music with a beat has 0.17 of it and more, sound without 0.11 and less. */
const gain = 3
/** Growth a clear onset has, summed over the logarithms of the bands; a chord that only swells stays below a third of it. */
const clearOnset = 1

/**
 * Calculates the confidence of a tempo, 0 to 1, from its support and the beats that were found: near 1 when everything repeats
 * with the beat, the beats are even, and the onsets are clear.
 */
function confidenceOf(support: number, beats: readonly number[], envelope: Float64Array): number {
  const regularity = 1 - Math.exp(-gain * Math.max(0, support))
  const evenness = Math.max(0, 1 - 2 * relativeSpread(beats))
  return regularity * evenness * Math.min(1, strongOnset(envelope) / clearOnset)
}

/** Distance of the quartiles of the beat intervals, as a share of the median; 1 when there are too few to say. */
function relativeSpread(beats: readonly number[]): number {
  const intervals = beats.slice(1).map((beat, index) => beat - (beats[index] as number))
  if (intervals.length < 4) return 1
  intervals.sort((one, other) => one - other)
  const quartile = (share: number) => intervals[Math.floor(share * (intervals.length - 1))] as number
  return (quartile(0.75) - quartile(0.25)) / quartile(0.5)
}

/** The value two in a hundred exceed. */
function strongOnset(envelope: Float64Array): number {
  return envelope.toSorted()[Math.floor(envelope.length * 0.98)] ?? 0
}
