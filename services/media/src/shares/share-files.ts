import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import type { JobRow } from '../tables.ts'

/** A file that can be handed out. */
export interface SharedFile {
  readonly name: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

interface ShareFileDependencies {
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
}

/** Returns true if a job says that it has a finished file. */
export const hasFile = <Job extends Pick<JobRow, 'status' | 'artifact'>>(job: Job): job is Job & { artifact: string } =>
  isDownloadable(job.status) && job.artifact !== null

/** Returns true if the finished file of a job is stored. */
export async function isStored(artifacts: ArtifactStore, job: JobRow): Promise<boolean> {
  return hasFile(job) && (await artifacts.stat(job.id, job.artifact)) !== undefined
}

/** Provides the file of a job in the form it is shared in: a sound as MP3, which is made at the first request. */
export async function provideFile(
  { artifacts, renditions }: ShareFileDependencies,
  job: JobRow,
): Promise<SharedFile | undefined> {
  if (!hasFile(job)) return undefined
  const source = await artifacts.stat(job.id, job.artifact)
  if (source === undefined) return undefined
  const name = job.type === 'audio' ? await renditions.provide(job, 'mp3') : job.artifact
  const facts = name === job.artifact ? source : await artifacts.stat(job.id, name)
  return facts && { name, size: facts.size, modifiedAt: facts.modifiedAt }
}
