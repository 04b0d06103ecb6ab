import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mp3Words } from '../conversion/mp3-words.ts'
import type { Slots } from '../conversion/slots.ts'
import type { JobRow } from '../database/tables.ts'
import { invalid, notFound } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { findDerived, keepDerived, type DerivedParts } from './derived-file.ts'

/** Name of the MP3 that is kept beside a source of another kind. */
export const mp3Name = 'audio.mp3'

const limit = 600_000

/** What browsers play as it is. */
const playable = new Set(['mp3', 'm4a', 'aac', 'wav'])

/** The sound of a job in forms that players and people want. */
export interface Mp3s {
  /** The name of the job's MP3, made when it is not there yet. */
  provide(job: JobRow): Promise<string>
  /** The name of something a browser plays: the source itself if it can. */
  providePlayable(job: JobRow): Promise<{ name: string; isSource: boolean }>
}

export interface Mp3Parts extends DerivedParts {
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  /** Where files may lie while they are made. */
  readonly folder: string
}

/** Converts each sound at most once at a time, and keeps the result. */
export function createMp3s(parts: Mp3Parts): Mp3s {
  const underWay = new Map<string, Promise<void>>()

  async function provide(job: JobRow): Promise<string> {
    const { artifact } = job
    if (artifact === null) throw notFound('file')
    if (job.type !== 'audio') throw invalid('The job is a video')
    if (artifact.endsWith('.mp3')) return artifact
    if ((await findDerived(parts.artifacts, job, mp3Name)) !== undefined) return mp3Name
    const work = underWay.get(job.id) ?? convert(parts, job, artifact).finally(() => underWay.delete(job.id))
    underWay.set(job.id, work)
    await work
    return mp3Name
  }

  return {
    provide,
    async providePlayable(job) {
      const { artifact } = job
      const isSource = artifact !== null && playable.has(artifact.slice(artifact.lastIndexOf('.') + 1))
      return isSource ? { name: artifact, isSource } : { name: await provide(job), isSource: false }
    },
  }
}

async function convert(parts: Mp3Parts, job: JobRow, source: string): Promise<void> {
  const { artifacts, ffmpeg, slots, folder } = parts
  const signal = AbortSignal.timeout(limit)
  const own = join(folder, randomUUID())
  await mkdir(own, { recursive: true, mode: 0o700 })
  const output = join(own, mp3Name)
  const words = mp3Words(job.quality)
  try {
    await artifacts.withLocalFile(job.id, source, (file) =>
      slots.use(signal, () => ffmpeg.convert({ inputs: [file], words, output, timeoutMs: limit, signal })),
    )
    await keepDerived(parts, job, { name: mp3Name, file: output })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
