import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { JobRow } from '../tables.ts'
import { conversionProblem, findDerived, keepDerived, type DerivedDependencies } from '../delivery/derived-file.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { notFound, unavailable } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { Waveform } from './schema.ts'

const artifactName = 'waveform.json'
const maxPeaks = 30_000
/** Enough to draw and to find beats with: samples a second, and the fewest that make a peak, so at most 50 a second. */
const sampleRate = 8000
const minSamples = 160
/** Length of what is decoded at a time, seconds; 8 MB of samples. */
const stretchSeconds = 240
/** Timeout for waiting and decoding together, milliseconds. */
const timeout = 600_000
const maxConcurrent = 16

/** Creates the waveforms of finished sounds: each is computed once and kept. A problem is thrown for a job without a sound. */
export function createWaveforms(dependencies: DerivedDependencies) {
  const underWay = new Map<string, Promise<Waveform>>()
  return async (jobId: string): Promise<Waveform> => {
    const job = await dependencies.jobs.row(jobId)
    const { artifact: source } = job
    if (job.type !== 'audio' || !isDownloadable(job.status) || source === null) throw notFound('sound')
    const known = await readKept(dependencies.artifacts, job)
    if (known !== undefined) return known
    const present = underWay.get(job.id)
    if (present !== undefined) return present
    if (underWay.size >= maxConcurrent) throw unavailable('Too many sounds are being drawn; try again', 5)
    const work = draw(dependencies, job, source).finally(() => underWay.delete(job.id))
    underWay.set(job.id, work)
    return work
  }
}

async function readKept(artifacts: ArtifactStore, job: JobRow): Promise<Waveform | undefined> {
  if ((await findDerived(artifacts, job, artifactName)) === undefined) return undefined
  const content = await artifacts.open(job.id, artifactName)
  if (content === undefined) return undefined
  // A damaged one is computed again.
  const kept = Waveform.safeParse(await json(content).catch(() => undefined))
  return kept.data
}

async function draw(dependencies: DerivedDependencies, job: JobRow, source: string): Promise<Waveform> {
  const signal = AbortSignal.timeout(timeout)
  const file = join(dependencies.folder, `${randomUUID()}.json`)
  try {
    const waveform = await dependencies.artifacts.withLocalFile(job.id, source, (path) =>
      dependencies.slots.use(signal, () => measure(dependencies.ffmpeg, { path, knownMs: job.duration_ms, signal })),
    )
    await writeFile(file, JSON.stringify(waveform), { mode: 0o600 })
    await keepDerived(dependencies, job, { name: artifactName, file })
    return waveform
  } catch (error) {
    if (error === signal.reason) throw unavailable('The sound could not be drawn in time; try again', 60)
    throw conversionProblem(error)
  } finally {
    await rm(file, { force: true })
  }
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
