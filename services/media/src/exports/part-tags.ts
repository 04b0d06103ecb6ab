import { keyTag, transposed } from '../music/musical-keys.ts'
import type { JobRow } from '../tables.ts'
import { tagsOfJob, type MediaTags } from '../tags/media-tags.ts'
import type { ExportPlan } from './schema.ts'

/** Returns the tags of an exported file: what a job's own file says, as far as it is true of a part whose tempo and pitch changed. */
export function tagsOfPart(
  job: JobRow,
  plan: Pick<ExportPlan, 'semitones' | 'tempo_percent'>,
  name: string,
): MediaTags {
  const tags = tagsOfJob(job)
  const isWhole = Number.isInteger(plan.semitones)
  const key = job.musical_key === null || !isWhole ? undefined : transposed(job.musical_key, plan.semitones)
  return {
    ...tags,
    title: name === '' || tags.title === null ? tags.title : `${tags.title} (${name})`,
    bpm: tags.bpm === null ? null : Math.round((tags.bpm * plan.tempo_percent) / 100),
    key: key === undefined ? null : (keyTag(key) ?? null),
    // They are those of the whole.
    loudness: null,
    peak: null,
    chapters: [],
  }
}
