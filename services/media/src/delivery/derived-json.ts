import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { z } from 'zod'
import { isDownloadable } from '../jobs/job-machine.ts'
import { notFound, unavailable } from '../problems.ts'
import type { JobRow } from '../tables.ts'
import { conversionProblem, findDerived, keepDerived, type DerivedDependencies } from './derived-file.ts'

/** Timeout for waiting and computing together, milliseconds. */
const timeout = 600_000
const maxConcurrent = 16

/** Something that is computed of a job's sound and kept beside it as JSON. */
export interface DerivedJson<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /** Computes the value of the sound in a file. */
  readonly compute: (file: string, job: JobRow, signal: AbortSignal) => Promise<Value>
  /** Returns true if a kept value still holds; it always does without this. */
  readonly isCurrent?: (kept: Value, job: JobRow) => boolean
  /** Details of the problem when too much is being computed, and when it takes too long. */
  readonly busy: string
  readonly late: string
}

type Dependencies = Pick<DerivedDependencies, 'jobs' | 'artifacts' | 'folder'>

/** Finds the finished sound of a job; a problem is thrown for a job without one. */
export async function soundOf(
  { jobs }: Pick<Dependencies, 'jobs'>,
  jobId: string,
): Promise<JobRow & { artifact: string }> {
  const job = await jobs.row(jobId)
  const { artifact } = job
  if (job.type !== 'audio' || !isDownloadable(job.status) || artifact === null) throw notFound('sound')
  return { ...job, artifact }
}

/** Creates the function that returns the value of a job's sound: computed once, also for simultaneous requests, and kept. */
export function createDerivedJson<Value>(dependencies: Dependencies, derived: DerivedJson<Value>) {
  const underWay = new Map<string, Promise<Value>>()
  return async (job: JobRow & { artifact: string }): Promise<Value> => {
    const known = await readKept(dependencies, job, derived)
    if (known !== undefined) return known
    const present = underWay.get(job.id)
    if (present !== undefined) return present
    if (underWay.size >= maxConcurrent) throw unavailable(derived.busy, 5)
    const work = make(dependencies, job, derived).finally(() => underWay.delete(job.id))
    underWay.set(job.id, work)
    return work
  }
}

async function readKept<Value>(
  { artifacts }: Dependencies,
  job: JobRow,
  { name, schema, isCurrent = () => true }: DerivedJson<Value>,
): Promise<Value | undefined> {
  if ((await findDerived(artifacts, job, name)) === undefined) return undefined
  const content = await artifacts.open(job.id, name)
  if (content === undefined) return undefined
  // A damaged one is computed again.
  const { data } = schema.safeParse(await json(content).catch(() => undefined))
  return data !== undefined && isCurrent(data, job) ? data : undefined
}

async function make<Value>(
  dependencies: Dependencies,
  job: JobRow & { artifact: string },
  { name, compute, late }: DerivedJson<Value>,
): Promise<Value> {
  const signal = AbortSignal.timeout(timeout)
  const file = join(dependencies.folder, `${randomUUID()}.json`)
  try {
    const value = await dependencies.artifacts.withLocalFile(job.id, job.artifact, (path) => compute(path, job, signal))
    await writeFile(file, JSON.stringify(value), { mode: 0o600 })
    await keepDerived(dependencies, job, { name, file })
    return value
  } catch (error) {
    if (error === signal.reason) throw unavailable(late, 60)
    throw conversionProblem(error)
  } finally {
    await rm(file, { force: true })
  }
}
