import { createAnalyser } from '../../src/analysis/analyse-audio.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'
import { beatScore } from './beat-score.ts'
import type { RenderedTrack } from './rendered-tracks.ts'

/** Measures metre, beats and downbeats of the pieces with one tempo, which is given: F-measures within 70 ms. */
export async function beatTable(tracks: readonly RenderedTrack[]): Promise<string> {
  const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1 })
  const { signal } = new AbortController()
  const sums = { pieces: 0, metre: 0, beats: 0, downbeats: 0 }
  for (const { file, score } of tracks) {
    const [bpm, other] = score?.right ?? []
    if (score === undefined || bpm === undefined || other !== undefined) continue
    const { metre, beats, downbeats } = await analyser.findBeats(file, bpm, { signal, timeoutMs: 60_000 })
    const timesOf = (places: readonly number[], times: readonly number[]) =>
      places.map((place) => times[place] as number)
    sums.pieces += 1
    // Two and four beats a bar sound alike where nothing but the accent of every other bar differs.
    sums.metre +=
      metre === score.metre || (metre === 4 && score.metre === 2) || (metre === 2 && score.metre === 4) ? 1 : 0
    sums.beats += beatScore(beats, score.beats)
    sums.downbeats += beatScore(timesOf(downbeats, beats), timesOf(score.downbeats, score.beats))
  }
  await analyser.close()
  const percent = (value: number) => (100 * (value / Math.max(1, sums.pieces))).toFixed(1)
  return `${sums.pieces} pieces with the tempo given: metre right (2 as 4) ${percent(sums.metre)}, F-measure of beats ${percent(sums.beats)}, of downbeats ${percent(sums.downbeats)}\n`
}
