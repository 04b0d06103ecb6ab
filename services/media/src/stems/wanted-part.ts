import type { JobRow } from '../tables.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { invalid, notFound } from '../problems.ts'
import { TrimId } from '../trims/schema.ts'
import { trimArtifact, type Trims } from '../trims/trims.ts'
import type { Stem, StemQuery } from './schema.ts'

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

/** The whole of a sound; any other variant is the id of a trim. */
export const whole = ''

export const bothStems: readonly Stem[] = ['vocals', 'instrumental']

/** The name a stem is stored under. */
export const stemArtifact = (variant: string, stem: Stem): string =>
  `stem_${variant === whole ? 'whole' : variant}_${stem}.mp3`

/** The trim whose stem is stored under a name; undefined for anything else. */
export const trimOfArtifact = (name: string, stem: Stem): string | undefined => {
  const trimId = /^stem_(\d+_\d+)_/.exec(name)?.[1]
  return trimId !== undefined && name === stemArtifact(trimId, stem) ? trimId : undefined
}
