import { ArtifactMissing, type ArtifactFacts, type ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Slots } from '../conversion/slots.ts'
import type { JobRow } from '../tables.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { notFound, Problem } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure, orFullDisk } from '../tools/media-failure.ts'

/** The members of a job that derived files need. */
type Origin = Pick<JobRow, 'id' | 'artifact' | 'attempt'>

/**
 * Finds a file that was made from a job's own; undefined when it is not there, or was made from an earlier one: a
 * job that is tried again gets another file.
 */
export async function findDerived(
  artifacts: ArtifactStore,
  job: Origin,
  name: string,
): Promise<ArtifactFacts | undefined> {
  if (job.artifact === null) return undefined
  const [source, derived] = await Promise.all([artifacts.stat(job.id, job.artifact), artifacts.stat(job.id, name)])
  const isFresh = source !== undefined && derived !== undefined && derived.modifiedAt >= source.modifiedAt
  return isFresh ? derived : undefined
}

/** Dependencies of the features that make files from a job's own. */
export interface DerivedDependencies {
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  /** Folder for temporary files. */
  readonly folder: string
}

/**
 * Keeps a file that was made from a job's own. When the job was removed or tried again meanwhile, nothing of it stays, and a
 * problem is thrown.
 */
export async function keepDerived(
  { jobs, artifacts }: Pick<DerivedDependencies, 'jobs' | 'artifacts'>,
  job: Origin,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<void> {
  await artifacts.put(job.id, name, file)
  const now = await jobs.row(job.id).catch(() => undefined)
  if (now?.attempt === job.attempt && now.artifact === job.artifact) return
  await artifacts.removeOne(job.id, name)
  throw notFound('job any more')
}

/** Turns the failure of a conversion into a problem: 404 for a source that is not stored, 503 for a full disk, 500 for a failed conversion. Returns other errors unchanged. */
export function conversionProblem(thrown: unknown): unknown {
  if (thrown instanceof ArtifactMissing) return notFound('file')
  const error = orFullDisk(thrown)
  if (!(error instanceof MediaFailure)) return error
  // A person can make room and try again; the file itself is fine.
  return new Problem(error.code === 'disk_full' ? 503 : 500, error.message, { cause: error })
}

/** Throws the problem for a failed conversion; for `catch`. */
export function throwConversionProblem(error: unknown): never {
  throw conversionProblem(error)
}
