import type { AnalysisThread } from './analysis-thread.ts'
import { analysisRate, type DecodeAudio } from './audio-pieces.ts'
import { envelopeRate, joinEnvelopes, type OnsetEnvelopes } from './onset-envelope.ts'

/** Length of what is decoded at a time, seconds: 80 MB of samples. Most sounds are shorter, and read in one go. */
const stretchSeconds = 900
/** Length decoded beyond a stretch, seconds, so that the last spectrum of it is whole. */
const overhang = 0.1

/** Reads the onsets of a whole sound, stretch by stretch, with a thread for the arithmetic. */
export async function readOnsets(
  decode: DecodeAudio,
  thread: AnalysisThread,
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): Promise<OnsetEnvelopes> {
  const parts: OnsetEnvelopes[] = []
  for (let startSeconds = 0; ; startSeconds += stretchSeconds) {
    const samples = await decode(file, { startSeconds, lengthSeconds: stretchSeconds + overhang, signal })
    const isLast = samples.length < stretchSeconds * analysisRate
    if (samples.length > 0) parts.push(await thread.run('onsets', { samples, sampleRate: analysisRate }, signal))
    if (isLast) return joinEnvelopes(parts, stretchSeconds * envelopeRate)
  }
}
