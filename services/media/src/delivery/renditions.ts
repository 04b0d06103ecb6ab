import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { withTemporaryFolder } from '@hearth/runtime'
import { findDerived, keepDerived, type DerivedDependencies } from './derived-file.ts'
import { ArtifactMissing } from '../artifacts/artifact-store.ts'
import { invalid, notFound } from '../problems.ts'
import type { JobRow } from '../tables.ts'
import { withCover, type Cover } from '../tags/cover.ts'
import { tagsOfJob } from '../tags/media-tags.ts'
import { convertTagged } from '../tags/tagged-output.ts'
import { encodingFor, extensionOf, type SoundFormat } from './formats.ts'

const timeout = 600_000

/** File types that browsers play without conversion. */
const playable = new Set(['mp3', 'm4a', 'aac', 'wav'])

/** Name of the MP3 that versions before tags kept beside a source of another kind. */
const untaggedMp3 = 'audio.mp3'

/** Provides the sound of a job in another format, with tags, or in a form that browsers play. */
export type Renditions = ReturnType<typeof createRenditions>

/**
 * Creates the conversions; each runs at most once at a time and its result is kept. The name of a kept file carries a digest of
 * its tags: when those change, the encoded sound is copied into a file with the new ones, and the old file goes.
 */
export function createRenditions(dependencies: DerivedDependencies) {
  const { artifacts } = dependencies
  const underWay = new Map<string, Promise<void>>()

  async function once(key: string, work: () => Promise<void>): Promise<void> {
    const running = underWay.get(key) ?? work().finally(() => underWay.delete(key))
    underWay.set(key, running)
    await running
  }

  /** Returns the name of the job's file of a format, which is made when it is not there yet. */
  async function provide(job: JobRow, format: SoundFormat): Promise<string> {
    const { artifact } = job
    if (artifact === null) throw notFound('file')
    if (job.type !== 'audio') throw invalid('The job is a video, and has one format')
    const rendition = { format, artifact, name: nameOf(job, format, artifact) }
    if ((await findDerived(artifacts, job, rendition.name)) === undefined)
      await once(`${job.id} ${rendition.name}`, () => make(dependencies, job, rendition))
    return rendition.name
  }

  return {
    provide,
    /** Returns the name of something a browser plays: the source itself if it can, or any MP3 there is. */
    async providePlayable(job: JobRow): Promise<{ name: string; isSource: boolean }> {
      const { artifact } = job
      if (artifact === null) throw notFound('file')
      if (playable.has(extensionOf('original', artifact))) return { name: artifact, isSource: true }
      // A list of the files costs object storage far more than the two look-ups that mostly suffice.
      const current = nameOf(job, 'mp3', artifact)
      if ((await findDerived(artifacts, job, current)) !== undefined) return { name: current, isSource: false }
      const [kept] = await keptOf(dependencies, job, 'mp3')
      return { name: kept ?? (await provide(job, 'mp3')), isSource: false }
    },
  }
}

interface Rendition {
  readonly format: SoundFormat
  /** Name of the source, and of the file that is made. */
  readonly artifact: string
  readonly name: string
}

const prefixOf = (format: SoundFormat): string => `audio_${format}_`

function nameOf(job: JobRow, format: SoundFormat, artifact: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(tagsOfJob(job)))
    .digest('hex')
    .slice(0, 16)
  return `${prefixOf(format)}${digest}.${extensionOf(format, artifact)}`
}

/** Names of the job's files of a format, with whatever tags. */
async function keptOf({ artifacts }: DerivedDependencies, job: JobRow, format: SoundFormat): Promise<string[]> {
  const names = await artifacts.list(job.id)
  const ofFormat = names.filter(
    (name) => name.startsWith(prefixOf(format)) || (format === 'mp3' && name === untaggedMp3),
  )
  const found = await Promise.all(
    ofFormat.map(async (name) => ((await findDerived(artifacts, job, name)) ? [name] : [])),
  )
  return found.flat()
}

/** Makes the file in one command: the sound is encoded, or copied where it is encoded already, and the tags are written with it. */
async function make(dependencies: DerivedDependencies, job: JobRow, rendition: Rendition): Promise<void> {
  const kept = await keptOf(dependencies, job, rendition.format)
  // Another process may have made the same one by now.
  if (kept.includes(rendition.name)) return
  const [earlier] = kept
  const isMade = earlier !== undefined && (await makeFrom(dependencies, job, { ...rendition, source: earlier }))
  if (!isMade) await makeFrom(dependencies, job, { ...rendition, source: rendition.artifact })
  for (const name of kept) await dependencies.artifacts.removeOne(job.id, name)
}

/** Makes the file from the job's own or from one of the same format. False when one of the same format is gone by now. */
async function makeFrom(
  dependencies: DerivedDependencies,
  job: JobRow,
  rendition: Rendition & { readonly source: string },
): Promise<boolean> {
  const { artifacts, folder, slots } = dependencies
  const { source, artifact, name } = rendition
  const signal = AbortSignal.timeout(timeout)
  try {
    await withTemporaryFolder(folder, async (own) => {
      const output = join(own, name)
      await artifacts.withLocalFile(job.id, source, (file) =>
        withCover(artifacts, job.id, (cover) => {
          const task = { ...rendition, file, output, cover, signal, isEncoded: source !== artifact }
          return slots.use(signal, () => convert(dependencies, job, task))
        }),
      )
      await keepDerived(dependencies, job, { name, file: output })
    })
    return true
  } catch (error) {
    if (error instanceof ArtifactMissing && source !== artifact) return false
    throw error
  }
}

interface Task extends Rendition {
  readonly file: string
  readonly output: string
  readonly cover: Cover | undefined
  readonly signal: AbortSignal
  /** True if the file is of the format already. */
  readonly isEncoded: boolean
}

async function convert({ ffmpeg }: DerivedDependencies, job: JobRow, task: Task): Promise<void> {
  const { file, output, cover, signal } = task
  const { form, args, container } = encodingFor(task.format, { ...job, artifact: task.artifact })
  const sound = ['-map', '0:a:0', ...(task.isEncoded ? ['-c:a', 'copy'] : args), ...container]
  const conversion = { inputs: [file], args: sound, output, timeoutMs: timeout, signal }
  if (form === undefined) await ffmpeg.convert(conversion)
  else await convertTagged(ffmpeg, conversion, { tags: tagsOfJob(job), form, cover, videos: 0 })
}
