import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { ArtifactMissing, type ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Slots } from '../conversion/slots.ts'
import type { JobRow } from '../database/tables.ts'
import { conversionProblem } from '../delivery/conversion-problem.ts'
import { findDerived, keepDerived } from '../delivery/derived-file.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { notFound, unavailable } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { createPeakMeter } from './peaks.ts'
import { Waveform } from './schema.ts'

/** The shape of a finished sound; it is found out once and kept. Throws a problem when there is none. */
export type WaveformOf = (jobId: string) => Promise<Waveform>

/** What shapes are made with. */
export interface WaveformParts {
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  /** Where files may lie while they are made. */
  readonly folder: string
}

const artifactName = 'waveform.json'
const mostPeaks = 30_000
/** Enough to draw and to find beats with: samples a second, and the fewest that make a peak, so at most 50 a second. */
const sampleRate = 8000
const fewestSamples = 160
/** Length of what is decoded at a time, seconds; 8 MB of samples. */
const stretchSeconds = 240
/** For waiting and all stretches together, milliseconds. */
const limit = 600_000
const mostTogether = 16

/** Makes each shape at most once at a time. */
export function createWaveforms(parts: WaveformParts): WaveformOf {
  const underWay = new Map<string, Promise<Waveform>>()
  return async (jobId) => {
    const job = await parts.jobs.row(jobId)
    const { artifact: source } = job
    if (job.type !== 'audio' || !isDownloadable(job.status) || source === null) throw notFound('sound')
    const known = await readKept(parts.artifacts, job)
    if (known !== undefined) return known
    const present = underWay.get(job.id)
    if (present !== undefined) return present
    if (underWay.size >= mostTogether) throw unavailable('Too many sounds are being drawn; try again', 5)
    const work = draw(parts, job, source).finally(() => underWay.delete(job.id))
    underWay.set(job.id, work)
    return work
  }
}

async function readKept(artifacts: ArtifactStore, job: JobRow): Promise<Waveform | undefined> {
  if ((await findDerived(artifacts, job, artifactName)) === undefined) return undefined
  const content = await artifacts.open(job.id, artifactName)
  if (content === undefined) return undefined
  // A damaged one is made anew.
  const kept = Waveform.safeParse(await json(content).catch(() => undefined))
  return kept.data
}

async function draw(parts: WaveformParts, job: JobRow, source: string): Promise<Waveform> {
  const signal = AbortSignal.timeout(limit)
  const file = join(parts.folder, `${randomUUID()}.json`)
  try {
    const waveform = await parts.artifacts.withLocalFile(job.id, source, (path) =>
      parts.slots.use(signal, () => measure(parts.ffmpeg, { path, knownMs: job.duration_ms, signal })),
    )
    await writeFile(file, JSON.stringify(waveform), { mode: 0o600 })
    await keepDerived(parts, job, { name: artifactName, file })
    return waveform
  } catch (error) {
    if (error === signal.reason) throw unavailable('The sound could not be drawn in time; try again', 60)
    throw error instanceof ArtifactMissing ? notFound('file') : conversionProblem(error)
  } finally {
    await rm(file, { force: true })
  }
}

interface Measuring {
  readonly path: string
  readonly knownMs: number | null
  readonly signal: AbortSignal
}

async function measure(ffmpeg: Ffmpeg, { path, knownMs, signal }: Measuring): Promise<Waveform> {
  const durationMs = knownMs ?? (await ffmpeg.probe(path, signal)).durationMs
  const total = Math.max(1, Math.round((durationMs * sampleRate) / 1000))
  const meter = createPeakMeter({ total, most: mostPeaks, shortest: fewestSamples })
  for (let start = 0; start * 1000 < durationMs; start += stretchSeconds) {
    signal.throwIfAborted()
    const stretch = { sampleRate, startSeconds: start, lengthSeconds: stretchSeconds, signal }
    const samples = await ffmpeg.decode(path, stretch)
    meter.add(samples)
    if (samples.length === 0) break
  }
  return { peaks: meter.peaks, duration_seconds: durationMs / 1000 }
}
