import { createDerivedJson, soundOf } from '../delivery/derived-json.ts'
import type { DerivedDependencies } from '../delivery/derived-file.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { Waveform } from './schema.ts'

const maxPeaks = 30_000
/** Enough to draw and to find beats with: samples a second, and the fewest that make a peak, so at most 50 a second. */
const sampleRate = 8000
const minSamples = 160
/** Length of what is decoded at a time, seconds; 8 MB of samples. */
const stretchSeconds = 240

/** Creates the waveforms of finished sounds: each is computed once and kept. A problem is thrown for a job without a sound. */
export function createWaveforms(dependencies: DerivedDependencies) {
  const { ffmpeg, slots } = dependencies
  const shapeOf = createDerivedJson(dependencies, {
    name: 'waveform.json',
    schema: Waveform,
    compute: (path, job, signal) =>
      slots.use(signal, () => measure(ffmpeg, { path, knownMs: job.duration_ms, signal })),
    busy: 'Too many sounds are being drawn; try again',
    late: 'The sound could not be drawn in time; try again',
  })
  return async (jobId: string): Promise<Waveform> => shapeOf(await soundOf(dependencies, jobId))
}

async function measure(
  ffmpeg: Ffmpeg,
  { path, knownMs, signal }: { path: string; knownMs: number | null; signal: AbortSignal },
): Promise<Waveform> {
  const durationMs = knownMs ?? (await ffmpeg.probe(path, signal)).durationMs
  const total = Math.max(1, Math.round((durationMs * sampleRate) / 1000))
  const meter = createPeakMeter({ total, maxCount: maxPeaks, minLength: minSamples })
  for (let start = 0; start * 1000 < durationMs; start += stretchSeconds) {
    signal.throwIfAborted()
    const stretch = { sampleRate, startSeconds: start, lengthSeconds: stretchSeconds, signal }
    const samples = await ffmpeg.decode(path, stretch)
    meter.add(samples)
    if (samples.length === 0) break
  }
  return { peaks: meter.peaks, duration_seconds: durationMs / 1000 }
}

/**
 * Creates a meter that collects the loudest samples of equal stretches of a sound, as it is decoded: at most `maxCount`
 * stretches for `total` expected samples, none shorter than `minLength` samples.
 */
export function createPeakMeter(options: { total: number; maxCount: number; minLength: number }) {
  const { total, maxCount, minLength } = options
  const count = Math.max(1, Math.min(maxCount, Math.floor(total / minLength)))
  const highest = new Float32Array(count)
  let position = 0
  return {
    /** Adds the next samples, from -1 to 1. Those behind the expected end belong to the last stretch. */
    add(samples: Float32Array): void {
      for (const sample of samples) {
        const stretch = Math.min(count - 1, Math.floor((position * count) / total))
        const level = Math.abs(sample)
        if (level > (highest[stretch] ?? 0)) highest[stretch] = level
        position += 1
      }
    },
    /** From 0 to 1, to three places. */
    get peaks(): number[] {
      return Array.from(highest, (level) => Math.round(Math.min(1, level) * 1000) / 1000)
    },
  }
}
