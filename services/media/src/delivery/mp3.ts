import { join } from 'node:path'
import { withTemporaryFolder } from '@hearth/runtime'
import { mp3Args } from '../conversion/convert.ts'
import type { JobRow } from '../tables.ts'
import { invalid, notFound } from '../problems.ts'
import { findDerived, keepDerived, type DerivedDependencies } from './derived-file.ts'

/** Name of the MP3 that is kept beside a source of another kind. */
export const mp3Name = 'audio.mp3'

const timeout = 600_000

/** File types that browsers play without conversion. */
const playable = new Set(['mp3', 'm4a', 'aac', 'wav'])

/** Provides the sound of a job as MP3, or in a form that browsers play. */
export type Mp3s = ReturnType<typeof createMp3s>

/** Creates the conversions; each runs at most once at a time and its result is kept. */
export function createMp3s(dependencies: DerivedDependencies) {
  const underWay = new Map<string, Promise<void>>()

  /** Returns the name of the job's MP3, which is made when it is not there yet. */
  async function provide(job: JobRow): Promise<string> {
    const { artifact } = job
    if (artifact === null) throw notFound('file')
    if (job.type !== 'audio') throw invalid('The job is a video')
    if (artifact.endsWith('.mp3')) return artifact
    if ((await findDerived(dependencies.artifacts, job, mp3Name)) !== undefined) return mp3Name
    const work = underWay.get(job.id) ?? convert(dependencies, job, artifact).finally(() => underWay.delete(job.id))
    underWay.set(job.id, work)
    await work
    return mp3Name
  }

  return {
    provide,
    /** Returns the name of something a browser plays: the source itself if it can. */
    async providePlayable(job: JobRow): Promise<{ name: string; isSource: boolean }> {
      const { artifact } = job
      const isSource = artifact !== null && playable.has(artifact.slice(artifact.lastIndexOf('.') + 1))
      return isSource ? { name: artifact, isSource } : { name: await provide(job), isSource: false }
    },
  }
}

function convert(dependencies: DerivedDependencies, job: JobRow, source: string): Promise<void> {
  const { artifacts, ffmpeg, slots, folder } = dependencies
  const signal = AbortSignal.timeout(timeout)
  return withTemporaryFolder(folder, async (own) => {
    const output = join(own, mp3Name)
    const conversion = { args: mp3Args(job.quality), output, timeoutMs: timeout, signal }
    await artifacts.withLocalFile(job.id, source, (file) =>
      slots.use(signal, () => ffmpeg.convert({ ...conversion, inputs: [file] })),
    )
    await keepDerived(dependencies, job, { name: mp3Name, file: output })
  })
}
