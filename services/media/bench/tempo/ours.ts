import { createAnalyser } from '../../src/analysis/analyse-audio.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'
import { timed, type Candidate } from './candidate.ts'

/** The analysis as a job of the running service gets it, with key and hash: nothing is started but ffmpeg. */
export function ourAnalyser(): Candidate {
  const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1 })
  const { signal } = new AbortController()
  return {
    name: 'Hearth, in the service, with key',
    estimate: ({ file, seconds }) =>
      timed(async () => {
        const found = await analyser.analyse(file, { signal, timeoutMs: 60_000, durationSeconds: seconds })
        return { bpm: found.rawBpm, confidence: found.confidence }
      }),
    [Symbol.asyncDispose]: () => analyser.close(),
  }
}
