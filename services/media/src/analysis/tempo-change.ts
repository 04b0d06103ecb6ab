import { cutEnvelopes, envelopeRate, type OnsetEnvelopes } from './onset-envelope.ts'
import { findPulse } from './pulse.ts'
import { coarseTempo, fit, fitNear } from './tempo-comb.ts'

/** The tempo of one part of a track. */
export type PartTempo = ReturnType<typeof partTempo>

/** A part must fit its own tempo at least this well to say anything. */
const minFit = 0.15
/** The other part's tempo fits less than this share of the own one where the tempo changed: in one part, and in both. */
const foreignShare = { one: 0.4, both: 0.9 } as const
/** Tempi this near, as a share, are one that drifts; a part is not known more exactly than the second share. */
const [driftShare, exactShare] = [0.12, 0.015]
/** Parts of a track that are compared, seconds. */
const part = { min: 8, max: 30 } as const

/** The coarse tempo of a part. */
export function partTempo(envelopes: OnsetEnvelopes) {
  const pulse = findPulse(envelopes)
  return { pulse, bpm: coarseTempo(pulse.correlation) }
}

/** Beginning and end of a piece, a third each; nothing when that is too short to have a tempo. */
export function beginningAndEnd(envelopes: OnsetEnvelopes): readonly [PartTempo, PartTempo] | readonly [] {
  const length = envelopes.whole.length
  const third = Math.min(part.max * envelopeRate, Math.floor(length / 3))
  if (third < part.min * envelopeRate * 0.9) return []
  return [partTempo(cutEnvelopes(envelopes, 0, third)), partTempo(cutEnvelopes(envelopes, length - third, length))]
}

/**
 * Returns true if two parts go at different tempi: each fits its own, and the other's much less. A tempo that only drifts still fits,
 * and so does a relative of it that was taken for the tempo; octaves of one tempo are the same.
 */
export function isChange(one: PartTempo, other: PartTempo): boolean {
  const octaves = Math.log2(one.bpm / other.bpm)
  if (Math.abs(octaves - Math.round(octaves)) < Math.log2(1 + driftShare)) return false
  const shares = [shareOf(one, other.bpm), shareOf(other, one.bpm)]
  return Math.min(...shares) < foreignShare.one && Math.max(...shares) < foreignShare.both
}

/** Returns the fit of another tempo to a part, as a share of that of its own; 1 when not even that fits. */
function shareOf({ pulse, bpm }: PartTempo, otherBpm: number): number {
  const own = fit(pulse.correlation, bpm)
  return own < minFit ? 1 : fitNear(pulse.correlation, otherBpm, exactShare) / own
}
