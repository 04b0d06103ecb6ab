import type { JobRow } from '../database/tables.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { invalid, notFound } from '../problems.ts'
import { TrimId } from '../trims/schema.ts'
import { trimArtifact } from '../trims/trim-id.ts'
import type { Trims } from '../trims/trims.ts'
import type { StemQuery } from './schema.ts'
import { whole } from './stem-names.ts'

/** Part of a job to split. */
export interface WantedPart {
  readonly job: JobRow
  /** Empty for the whole, otherwise the trim. */
  readonly variant: string
  /** Stored file of exactly this part. */
  readonly artifact: string
  readonly durationMs: number
}

/** A finished sound, or a problem that says what it is instead. */
export function requireSound(job: JobRow): JobRow & { artifact: string } {
  const { status, type, artifact } = job
  if (!isDownloadable(status)) throw invalid(`Only a finished job can be separated, and this one is ${status}`)
  if (type !== 'audio') throw invalid('Only audio jobs can be separated, and this one is a video')
  if (artifact === null) throw notFound('file')
  return { ...job, artifact }
}

export const isOfTrim = ({ trimmed, trim_id }: StemQuery): boolean => trimmed || trim_id !== undefined

/** Finds out which part a request means; throws a problem when that cannot be told, or there is none. */
export async function findPart(
  job: JobRow & { artifact: string },
  query: StemQuery,
  trims: Pick<Trims, 'list'>,
): Promise<WantedPart> {
  if (!isOfTrim(query)) return { job, variant: whole, artifact: job.artifact, durationMs: job.duration_ms ?? 0 }
  const trimId = readTrimId(query)
  const present = await trims.list(job.id)
  if (trimId === undefined && present.length === 0)
    throw invalid('trimmed: there is no trim of this job; make one first')
  if (trimId === undefined && present.length > 1)
    throw invalid(`trim_id must say which of the ${present.length} trims is meant`)
  const trim = trimId === undefined ? present[0] : present.find(({ trim_id }) => trim_id === trimId)
  if (trim === undefined) throw notFound('trim')
  const { trim_id: variant, duration } = trim
  return { job, variant, artifact: trimArtifact(variant), durationMs: Math.round(duration * 1000) }
}

/** The trim that is named; undefined when none is. */
export function readTrimId({ trim_id }: StemQuery): string | undefined {
  if (trim_id === undefined || trim_id === '') return undefined
  const { success, error } = TrimId.safeParse(trim_id)
  if (!success) throw invalid(`trim_id ${error.issues[0]?.message ?? 'is not valid'}`)
  return trim_id
}
