import { join } from 'node:path'
import { withTemporaryFolder } from '@hearth/runtime'
import { isJobId } from '../artifacts/artifact-store.ts'
import type { JobRow } from '../tables.ts'
import { findDerived, keepDerived, throwConversionProblem, type DerivedDependencies } from '../delivery/derived-file.ts'
import { trimName } from '../jobs/file-names.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { conflict, invalid, notFound, unavailable } from '../problems.ts'
import { cutSound, type Part } from './cut-sound.ts'
import type { Trim, TrimList, TrimRequest } from './schema.ts'

/** Minimum and maximum length of a trim, milliseconds. */
const [minLength, maxLength] = [1000, 600_000]
/** Maximum number of trims of a job; the oldest are deleted. */
const maxKept = 50
/** Maximum number of concurrent trims, and the time one waits for a slot, milliseconds. */
const maxConcurrent = 8
const slotTimeout = 60_000

/**
 * Parts cut out of finished sounds. Throws problems of the API.
 * Cuts each part once, and keeps it beside its source.
 */
export class Trims {
  readonly #dependencies: DerivedDependencies
  readonly #underWay = new Set<string>()

  constructor(dependencies: DerivedDependencies) {
    this.#dependencies = dependencies
  }

  async make(jobId: string, wanted: TrimRequest): Promise<Trim> {
    const part = readPart(wanted)
    const job = await this.#dependencies.jobs.row(jobId)
    const source = sourceFor(job, part)
    const trimId = trimIdOf(part)
    const isThere = (await findDerived(this.#dependencies.artifacts, job, trimArtifact(trimId))) !== undefined
    if (!isThere) await this.#once(`${job.id} ${trimId}`, () => this.#cut(job, { source, part }))
    const duration = (part.endMs - part.startMs) / 1000
    return { ok: true, cached: isThere, trim_id: trimId, duration, file: trimName(job) }
  }

  async list(jobId: string): Promise<TrimList> {
    const job = await this.#dependencies.jobs.row(jobId)
    const file = trimName(job)
    return (await this.#kept(job))
      .sort((a, b) => a.part.startMs - b.part.startMs || a.part.endMs - b.part.endMs)
      .map(({ part }) => {
        const [start, end] = [part.startMs / 1000, part.endMs / 1000]
        return { trim_id: trimIdOf(part), start, end, duration: (part.endMs - part.startMs) / 1000, file }
      })
  }

  async remove(jobId: string, trimId: string | undefined): Promise<{ ok: true; deleted: number }> {
    const { artifacts } = this.#dependencies
    const isWanted = (name: string) =>
      trimId === undefined ? partOfArtifact(name) !== undefined : name === trimArtifact(trimId)
    const names = isJobId(jobId) ? (await artifacts.list(jobId)).filter(isWanted) : []
    let deleted = 0
    for (const name of names) if (await artifacts.removeOne(jobId, name)) deleted += 1
    return { ok: true, deleted }
  }

  /** The stored file of a part and the name it is saved under. */
  async find(jobId: string, trimId: string): Promise<{ name: string; fileName: string }> {
    const job = await this.#dependencies.jobs.row(jobId)
    const name = trimArtifact(trimId)
    const isThere =
      isDownloadable(job.status) && (await findDerived(this.#dependencies.artifacts, job, name)) !== undefined
    if (!isThere) throw notFound('trim')
    return { name, fileName: trimName(job) }
  }

  async #once(key: string, work: () => Promise<void>): Promise<void> {
    if (this.#underWay.has(key)) throw conflict('This part is being cut already; try again in a moment')
    if (this.#underWay.size >= maxConcurrent) throw unavailable('Too many parts are being cut; try again', 5)
    this.#underWay.add(key)
    try {
      await work()
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #cut(job: JobRow, { source, part }: { source: string; part: Part }): Promise<void> {
    const { artifacts, ffmpeg, folder } = this.#dependencies
    const name = trimArtifact(trimIdOf(part))
    await withTemporaryFolder(folder, async (own) => {
      const output = join(own, name)
      await artifacts.withLocalFile(job.id, source, (file) =>
        this.#inSlot((signal) => cutSound(ffmpeg, part, { file, output, signal })),
      )
      await keepDerived(this.#dependencies, job, { name, file: output })
      await this.#forgetOldest(job, name)
    }).catch(throwConversionProblem)
  }

  /** Runs the work in a slot; throws a problem when none is free in time. */
  async #inSlot(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const waiting = AbortSignal.timeout(slotTimeout)
    try {
      await this.#dependencies.slots.use(waiting, () => work(new AbortController().signal))
    } catch (error) {
      throw error === waiting.reason ? unavailable('The processor is busy with conversions; try again', 5) : error
    }
  }

  async #forgetOldest(job: JobRow, newest: string): Promise<void> {
    const others = (await this.#kept(job)).filter(({ name }) => name !== newest)
    const oldest = others.sort((a, b) => a.modifiedAt - b.modifiedAt).slice(0, Math.max(0, others.length + 1 - maxKept))
    for (const { name } of oldest) await this.#dependencies.artifacts.removeOne(job.id, name)
  }

  async #kept(job: JobRow) {
    const { artifacts } = this.#dependencies
    const found = (await artifacts.list(job.id)).map(async (name) => {
      const part = partOfArtifact(name)
      const facts = part === undefined ? undefined : await findDerived(artifacts, job, name)
      return part === undefined || facts === undefined ? [] : [{ name, part, modifiedAt: facts.modifiedAt }]
    })
    return (await Promise.all(found)).flat()
  }
}

/** The wanted part to the millisecond, when it is one at all. */
function readPart({ start, end }: TrimRequest): Part {
  const part = { startMs: Math.round(start * 1000), endMs: Math.round(end * 1000) }
  const length = part.endMs - part.startMs
  if (length <= 0) throw invalid('end must lie after start')
  if (length < minLength) throw invalid('end must lie at least 1 second after start')
  if (length > maxLength) throw invalid('end must lie at most 600 seconds after start')
  return part
}

/** The name of the stored file the part is cut out of. */
function sourceFor({ type, status, artifact, duration_ms }: JobRow, { endMs }: Part): string {
  if (type !== 'audio') throw invalid('Only audio jobs can be trimmed, and this one is a video')
  if (!isDownloadable(status)) throw invalid(`Only a finished job can be trimmed, and this one is ${status}`)
  if (artifact === null) throw notFound('file')
  if (duration_ms !== null && endMs > duration_ms)
    throw invalid(`end lies beyond the end of the track, which has ${(duration_ms / 1000).toFixed(3)} seconds`)
  return artifact
}

/** `<start_ms>_<end_ms>` */
const trimIdOf = ({ startMs, endMs }: Part): string => `${startMs}_${endMs}`

/** The name a part is stored under. */
export const trimArtifact = (trimId: string): string => `trim_${trimId}.wav`

/** The part that is stored under a name; undefined for anything else that is stored. */
function partOfArtifact(name: string): Part | undefined {
  const [, start, end] = /^trim_(\d{1,10})_(\d{1,10})\.wav$/.exec(name) ?? []
  return start === undefined || end === undefined ? undefined : { startMs: Number(start), endMs: Number(end) }
}
