import type { StretchFilter } from '../tools/ffmpeg.ts'

/** A part of a sound in samples of each channel. */
export interface SampleRange {
  readonly start: number
  readonly end: number
  /** Samples at either end over which the sound comes up and goes down. */
  readonly fadeIn: number
  readonly fadeOut: number
}

/** Containers claim up to a tenth of a second more than there is to hear. That much is silence. */
const filledSeconds = 0.1

/**
 * Returns a filter graph that cuts parts out of the first sound of a file, exact to the sample: outputs `[o0]`, `[o1]` and so on.
 * The samples are counted from the beginning, because seeking lands beside the sample in most formats.
 */
export function cutGraph(parts: readonly SampleRange[], sampleRate: number): string {
  const head = [
    'asetpts=floor(N/SR/TB+0.5)',
    `aresample=${sampleRate}`,
    `apad=pad_dur=${filledSeconds}`,
    `asplit=${parts.length}`,
  ]
  const names = parts.map((_, index) => `[s${index}]`).join('')
  const branches = parts.map((part, index) => `[s${index}]${cutFilter(part)}[o${index}]`)
  return [`[0:a:0]${head.join(',')}${names}`, ...branches].join(';')
}

function cutFilter({ start, end, fadeIn, fadeOut }: SampleRange): string {
  return [
    `atrim=start_sample=${start}:end_sample=${end}`,
    'asetpts=N/SR/TB',
    ...(fadeIn > 0 ? [`afade=t=in:ss=0:ns=${fadeIn}`] : []),
    ...(fadeOut > 0 ? [`afade=t=out:ss=${end - start - fadeOut}:ns=${fadeOut}`] : []),
  ].join(',')
}

/** A change of tempo and pitch. */
export interface Stretch {
  /** 1 for the same tempo, 2 for twice as fast. */
  readonly tempo: number
  readonly semitones: number
  readonly filter: StretchFilter
}

/** Number of samples that a sound has at another tempo. */
export const stretchedSamples = (samples: number, { tempo }: Pick<Stretch, 'tempo'>): number =>
  Math.max(1, Math.round(samples / tempo))

/** Silence around the sound while it is stretched, seconds: the filters need some to begin and to end in. */
const margin = 0.25
/** Seconds by which rubberband is late for a ratio far above 1, and early below; measured from 0.5 to 3. */
const lateness = 0.029
/** Seconds by which each step of atempo is early. */
const earliness = 0.013

/**
 * Returns a filter that changes tempo and pitch independently: the sound is stretched with its pitch as it is, and then played
 * faster or slower, which changes both. The result has exactly as many samples as `stretchedSamples` says.
 */
export function stretchFilter(
  stretch: Stretch,
  { samples, sampleRate }: { samples: number; sampleRate: number },
): string {
  const { tempo, semitones, filter } = stretch
  const playedRate = Math.round(sampleRate * 2 ** (semitones / 12))
  // What is played is what the rounded rate gives, so that the tempo stays exact over hours.
  const speed = playedRate / sampleRate
  const ratio = tempo / speed
  const length = stretchedSamples(samples, stretch)
  return [
    ...(ratio === 1 ? [] : pureStretch(ratio, filter, sampleRate)),
    ...(playedRate === sampleRate ? [] : [`asetrate=${playedRate}`, `aresample=${sampleRate}`]),
    `apad=whole_len=${length}`,
    `atrim=end_sample=${length}`,
    'asetpts=N/SR/TB',
  ].join(',')
}

function pureStretch(ratio: number, filter: StretchFilter, sampleRate: number): string[] {
  const pad = Math.round(margin * sampleRate)
  const isRubber = filter === 'rubberband'
  const steps = isRubber
    ? [`rubberband=tempo=${fixed(ratio)}`]
    : tempoSteps(ratio).map((step) => `atempo=${fixed(step)}`)
  const shift = isRubber ? lateness * (1 - 1 / ratio) : -earliness * steps.length
  return [
    `adelay=delays=${pad}S:all=1`,
    `apad=pad_len=${pad}`,
    ...steps,
    `atrim=start_sample=${Math.round(pad / ratio + shift * sampleRate)}`,
    'asetpts=N/SR/TB',
  ]
}

/** Steps from 0.5 to 2 whose product is the ratio: beyond them atempo leaves samples out. */
function tempoSteps(ratio: number): number[] {
  const count = Math.max(1, Math.ceil(Math.abs(Math.log2(ratio)) - 1e-9))
  return Array.from({ length: count }, () => ratio ** (1 / count))
}

const fixed = (value: number): string => value.toFixed(9)

/** Highest true peak of a sound that was brought to a loudness, dBTP. */
export const ceiling = -1
/** Longest that the limiter looks ahead, milliseconds, and how much finer than the samples it looks at peaks. */
const [attack, release, oversampling] = [5, 60, 4]
/** Room for what the way back to the sample rate adds to peaks, dB. */
const headroom = 0.3

/** A change of loudness. */
export interface Gain {
  readonly db: number
  /** Peaks are held back. */
  readonly isLimited: boolean
}

/** Returns the gain from a measured loudness and true peak to a wanted loudness; the peak may be unknown. */
export function gainFor(wanted: number, measured: { loudnessLufs: number | null; truePeakDbtp: number | null }): Gain {
  // Silence has no loudness, and stays what it is.
  if (measured.loudnessLufs === null) return { db: 0, isLimited: false }
  const db = Math.round((wanted - measured.loudnessLufs) * 100) / 100
  return { db, isLimited: measured.truePeakDbtp !== null && measured.truePeakDbtp + db > ceiling }
}

/** Returns a filter that changes the loudness of so many samples and keeps true peaks below the ceiling. */
export function gainFilter(
  { db, isLimited }: Gain,
  { samples, sampleRate }: { samples: number; sampleRate: number },
): string {
  const volume = `volume=${db.toFixed(2)}dB:precision=float`
  if (!isLimited) return volume
  const limit = 10 ** ((ceiling - headroom) / 20)
  return [
    volume,
    `aresample=${sampleRate * oversampling}`,
    `alimiter=limit=${limit.toFixed(6)}:attack=${attack}:release=${release}:level=0:latency=1`,
    `aresample=${sampleRate}`,
    `apad=whole_len=${samples}`,
    `atrim=end_sample=${samples}`,
    'asetpts=N/SR/TB',
  ].join(',')
}
