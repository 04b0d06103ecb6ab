import { readFileSync } from 'node:fs'

/** A track on disk. */
export interface BenchTrack {
  readonly file: string
  readonly seconds: number
}

/** One answer: the tempo, null for none, and how long it took. */
export interface Answer {
  readonly bpm: number | null
  readonly seconds: number
  /** Time of the processor, of this process and its children; too low where a child goes on. */
  readonly processorSeconds: number
  /** 0 to 1, from those who say. */
  readonly confidence?: number | null
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
export async function timed(
  estimate: () => Promise<Pick<Answer, 'bpm' | 'confidence'> | number | null>,
): Promise<Answer> {
  const [begin, processor] = [performance.now(), processorSeconds()]
  const found = await estimate()
  const times = { seconds: (performance.now() - begin) / 1000, processorSeconds: processorSeconds() - processor }
  return typeof found === 'object' && found !== null ? { ...found, ...times } : { bpm: found, ...times }
}

/** Clock ticks of a second in `/proc`. */
const ticks = 100

/** Time of the processor that this process and its ended children took, seconds. */
export function processorSeconds(): number {
  // The name in parentheses may have spaces; utime is the twelfth value behind it.
  const values = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return values.slice(11, 15).reduce((sum, value) => sum + Number(value), 0) / ticks
}
