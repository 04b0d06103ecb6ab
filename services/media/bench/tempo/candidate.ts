/** A track on disk, as WAV. */
export interface BenchTrack {
  readonly file: string
  readonly seconds: number
}

/** One answer: the tempo, null for none, and how long it took. */
export interface Answer {
  readonly bpm: number | null
  readonly seconds: number
}

/** Something that estimates tempi. */
export interface Candidate extends AsyncDisposable {
  readonly name: string
  readonly estimate: (track: BenchTrack) => Promise<Answer>
}

/** A candidate, or the reason there is none here. */
export type Invited = Candidate | { readonly name: string; readonly obstacle: string }

/** Samples a second of the tracks. */
export const benchRate = 44_100

/** Times one estimate. */
export async function timed(estimate: () => Promise<number | null> | number | null): Promise<Answer> {
  const begin = performance.now()
  const bpm = await estimate()
  return { bpm, seconds: (performance.now() - begin) / 1000 }
}
