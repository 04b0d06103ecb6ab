import { createAnalyser } from '../../src/analysis/analyse-audio.ts'
import { analysisRate } from '../../src/analysis/decode-audio.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'
import { estimateTempo } from '../../src/analysis/estimate-tempo.ts'
import { timed, type Candidate } from './candidate.ts'

/** The estimator alone: samples in, tempo out; what ffmpeg takes to decode is not counted. */
export function ourEstimator(): Candidate {
  const decode = decodeWith('ffmpeg')
  const { signal } = new AbortController()
  return {
    name: 'ours, estimator alone',
    async estimate({ file, seconds }) {
      const samples = await decode(file, { startSeconds: 0, lengthSeconds: seconds, signal })
      return timed(() => estimateTempo(samples, analysisRate).bpm)
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** The whole analysis as a job gets it: ffmpeg, hash, thread. */
export function ourAnalyser(): Candidate {
  const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1 })
  const { signal } = new AbortController()
  return {
    name: 'ours, with ffmpeg, hash and thread',
    estimate: ({ file, seconds }) =>
      timed(async () => (await analyser.analyse(file, { signal, timeoutMs: 60_000, durationSeconds: seconds })).rawBpm),
    [Symbol.asyncDispose]: () => analyser.close(),
  }
}
