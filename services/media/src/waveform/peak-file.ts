import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findDerived, keepDerived, conversionProblem, type DerivedDependencies } from '../delivery/derived-file.ts'
import { findFinished } from '../jobs/finished-file.ts'
import { unavailable } from '../problems.ts'
import type { JobRow } from '../tables.ts'

const artifactName = 'peaks.bin'
/** Samples a second that are looked at, and pairs of peaks a second that are made of them, at most. */
const [sampleRate, pairsPerSecond, maxPairs] = [8000, 200, 2_000_000]
/** Timeout for waiting and decoding together, milliseconds. */
const timeout = 600_000
const maxConcurrent = 16

/**
 * Bytes before the pairs, little-endian: `HPK1`, the number of pairs (32 bits), and two 64-bit floats: seconds of a pair and of the
 * whole. A pair has the lowest and the highest sample, 127 for full scale.
 */
export const peakHeader = 24

/** Provides the fine shape of a sound as a file, which is made once and kept. */
export type PeakFiles = ReturnType<typeof createPeakFiles>

/** Creates the fine shapes of finished sounds, also of those of videos. A problem is thrown for a job without a sound. */
export function createPeakFiles(dependencies: DerivedDependencies) {
  const underWay = new Map<string, Promise<void>>()
  return async (jobId: string): Promise<{ jobId: string; name: string }> => {
    const job = findFinished(await dependencies.jobs.row(jobId))
    if ((await findDerived(dependencies.artifacts, job, artifactName)) === undefined) {
      const present = underWay.get(job.id)
      if (present === undefined && underWay.size >= maxConcurrent)
        throw unavailable('Too many sounds are being drawn; try again', 5)
      const work = present ?? make(dependencies, job).finally(() => underWay.delete(job.id))
      underWay.set(job.id, work)
      await work
    }
    return { jobId: job.id, name: artifactName }
  }
}

async function make(dependencies: DerivedDependencies, job: JobRow & { artifact: string }): Promise<void> {
  const { artifacts, ffmpeg, slots, folder } = dependencies
  const signal = AbortSignal.timeout(timeout)
  const file = join(folder, `${randomUUID()}.bin`)
  try {
    const meter = createPairMeter({ sampleRate, pairsPerSecond, maxPairs })
    await artifacts.withLocalFile(job.id, job.artifact, (path) =>
      slots.use(signal, () =>
        ffmpeg.decodeAll(path, { sampleRate, timeoutMs: timeout, signal, onSamples: (samples) => meter.add(samples) }),
      ),
    )
    await writeFile(file, meter.content(), { mode: 0o600 })
    await keepDerived(dependencies, job, { name: artifactName, file })
  } catch (error) {
    if (error === signal.reason) throw unavailable('The sound could not be drawn in time; try again', 60)
    throw conversionProblem(error)
  } finally {
    await rm(file, { force: true })
  }
}

/**
 * Creates a meter that collects the lowest and the highest sample of equal stretches of a sound of unknown length, as it is
 * decoded. When there would be more than `maxPairs`, two become one.
 */
export function createPairMeter(options: { sampleRate: number; pairsPerSecond: number; maxPairs: number }) {
  const { sampleRate: rate, maxPairs: most } = options
  let pairs = new Int8Array(2 * Math.min(most, 4096))
  let perPair = Math.max(1, Math.round(rate / options.pairsPerSecond))
  let count = 0
  let total = 0
  let [low, high, filled] = [0, 0, 0]

  function close(): void {
    if (2 * count === pairs.length) {
      const larger = new Int8Array(2 * pairs.length)
      larger.set(pairs)
      pairs = larger
    }
    pairs[2 * count] = toByte(low)
    pairs[2 * count + 1] = toByte(high)
    count += 1
    ;[low, high, filled] = [0, 0, 0]
  }

  function halve(): void {
    for (let index = 0; index < count; index += 2) {
      const [a, b] = [2 * index, 2 * Math.min(index + 1, count - 1)]
      pairs[index] = Math.min(pairs[a] ?? 0, pairs[b] ?? 0)
      pairs[index + 1] = Math.max(pairs[a + 1] ?? 0, pairs[b + 1] ?? 0)
    }
    count = Math.ceil(count / 2)
    perPair *= 2
  }

  return {
    /** Adds the next samples, from -1 to 1. */
    add(samples: Float32Array): void {
      for (const sample of samples) {
        if (sample < low) low = sample
        if (sample > high) high = sample
        filled += 1
        if (filled < perPair) continue
        if (count === most) halve()
        // After that the pair is half full.
        if (filled >= perPair) close()
      }
      total += samples.length
    },
    /** The file. */
    content(): Buffer {
      if (filled > 0) close()
      const head = Buffer.alloc(peakHeader)
      head.write('HPK1', 'latin1')
      head.writeUInt32LE(count, 4)
      head.writeDoubleLE(perPair / rate, 8)
      head.writeDoubleLE(total / rate, 16)
      return Buffer.concat([head, Buffer.from(pairs.buffer, 0, 2 * count)])
    },
  }
}

const toByte = (sample: number): number => Math.round(Math.max(-1, Math.min(1, sample)) * 127)
