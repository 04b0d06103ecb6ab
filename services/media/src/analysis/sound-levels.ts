import type { Ffmpeg } from '../tools/ffmpeg.ts'

/** Loudness and silence of a sound. All members are null when they were not measured; loudness and peak are for silence too. */
export interface SoundLevels {
  /** Integrated loudness by EBU R 128, LUFS, one decimal. */
  readonly loudnessLufs: number | null
  /** Loudness range by EBU Tech 3342, LU, one decimal. */
  readonly rangeLu: number | null
  /** Highest true peak, dBTP, one decimal. */
  readonly truePeakDbtp: number | null
  /** Silence at the beginning and at the end, milliseconds. */
  readonly silenceStartMs: number | null
  readonly silenceEndMs: number | null
}

/** Levels of a sound that were not measured. */
export const unknownLevels: SoundLevels = {
  loudnessLufs: null,
  rangeLu: null,
  truePeakDbtp: null,
  silenceStartMs: null,
  silenceEndMs: null,
}

/** Measures the levels of the first sound of a file. */
export type MeasureLevels = (
  file: string,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<SoundLevels>

/** What is quieter than this counts as silence, dB, and shorter silence as a pause in the sound, seconds. */
const silence = { level: -60, seconds: 0.1 }
/** The measurement's lowest value: a sound that is nowhere louder has no loudness, LUFS. */
const lowest = -70

/** Prints, for each tenth of a second, the levels so far, and the silences that begin or end in it. One printer, so that no line is torn. */
const filter = [
  // Its log would repeat every line.
  'ebur128=metadata=1:peak=true:framelog=verbose',
  `silencedetect=noise=${silence.level}dB:d=${silence.seconds}`,
  'ametadata=mode=print:file=-',
].join(',')

/** Creates the measurement with ffmpeg's meter. */
export function createMeasureLevels(ffmpeg: Pick<Ffmpeg, 'filterSound'>): MeasureLevels {
  return async (file, options) => {
    const reader = createLevelReader()
    await ffmpeg.filterSound(file, { ...options, filter, onLine: (line) => reader.read(line) })
    return reader.levels()
  }
}

/** Creates a reader of the lines that the filter prints. */
export function createLevelReader() {
  const latest = new Map<string, number>()
  /** The first silence and the last one, seconds; the last may have no end. A sound of many hours has any number of them. */
  const silences: { start: number; end?: number }[] = []
  let seconds = 0
  return {
    read(line: string): void {
      const time = /^frame:\d+\s+pts:\S+\s+pts_time:(\d+(?:\.\d+)?)/.exec(line)?.[1]
      if (time !== undefined) seconds = Math.max(seconds, Number(time))
      const [, name = '', text = ''] = /^lavfi\.([\w.]+)=(-?\d+(?:\.\d+)?)$/.exec(line) ?? []
      if (text === '') return
      const value = Number(text)
      const last = silences.at(-1)
      if (name === 'silence_start') silences.splice(1, 1, { start: Math.max(0, value) })
      else if (name === 'silence_end' && last !== undefined) last.end = value
      else latest.set(name, value)
    },
    levels(): SoundLevels {
      // The meter prints at the beginning of each tenth.
      const length = seconds + 0.1
      const loudness = latest.get('r128.I') ?? lowest
      const peak = latest.get('r128.true_peak') ?? 0
      const isHeard = loudness > lowest
      return {
        loudnessLufs: isHeard ? tenth(loudness) : null,
        rangeLu: isHeard ? tenth(latest.get('r128.LRA') ?? 0) : null,
        truePeakDbtp: peak > 0 ? tenth(20 * Math.log10(peak)) : null,
        ...edges(silences, length),
      }
    },
  }
}

const tenth = (value: number): number => Math.round(value * 10) / 10

/** Silence is at the beginning when it starts within this of it, seconds. */
const atOnce = 0.01

function edges(silences: readonly { start: number; end?: number }[], length: number) {
  const [first, last] = [silences[0], silences.at(-1)]
  const milliseconds = (value: number) => Math.max(0, Math.round(value * 1000))
  const isAtStart = first !== undefined && first.start <= atOnce
  const isAtEnd = last !== undefined && last.end === undefined && !(isAtStart && last === first)
  return {
    // A sound that is silent throughout has all of it at the beginning.
    silenceStartMs: milliseconds(isAtStart ? (first.end ?? length) : 0),
    silenceEndMs: milliseconds(isAtEnd ? length - last.start : 0),
  }
}
