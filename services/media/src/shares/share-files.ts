import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import type { JobRow } from '../tables.ts'

/** A file that can be handed out. */
export interface SharedFile {
  readonly name: string
  readonly size: number
}

interface ShareFileDependencies {
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
}

/** Returns true if a job says that it has a finished file. */
export const hasFile = ({ status, artifact }: Pick<JobRow, 'status' | 'artifact'>): boolean =>
  isDownloadable(status) && artifact !== null

/** Returns true if the finished file of a job is stored. */
export async function isStored(artifacts: ArtifactStore, job: JobRow): Promise<boolean> {
  return hasFile(job) && job.artifact !== null && (await artifacts.stat(job.id, job.artifact)) !== undefined
}

/** Provides the file of a job in the form it is shared in: a sound as MP3, which is made at the first request. */
export async function provideFile(
  { artifacts, renditions }: ShareFileDependencies,
  job: JobRow,
): Promise<SharedFile | undefined> {
  if (!hasFile(job) || job.artifact === null) return undefined
  const source = await artifacts.stat(job.id, job.artifact)
  if (source === undefined) return undefined
  const name = job.type === 'audio' ? await renditions.provide(job, 'mp3') : job.artifact
  const facts = name === job.artifact ? source : await artifacts.stat(job.id, name)
  return facts === undefined ? undefined : { name, size: facts.size }
}
