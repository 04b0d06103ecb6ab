import type { Kysely } from 'kysely'
import type { StorageRule } from '../settings/schema.ts'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { Tables } from '../tables.ts'
import { listCandidates, listCopies, type Candidate } from './store.ts'

/** Files that go to make room. */
export interface RoomPlan {
  readonly copies: readonly (ArtifactRow & { readonly title: string })[]
  readonly jobs: readonly LeavingJob[]
  readonly freed: number
  /** False when the plan ends before there is enough, although more might go. */
  readonly isComplete: boolean
}

/** A job that loses its files. */
export interface LeavingJob extends Pick<Candidate, 'id' | 'title' | 'last_used_at'> {
  /** Bytes that its going frees, beside copies that go anyway. */
  readonly bytes: number
}

export interface RoomRequest {
  readonly shortage: number
  readonly rule: StorageRule
  readonly now: number
}

/** Rows read at a time; most copies and jobs in one plan. */
const slice = 200
const [maxCopies, maxJobs] = [2000, 1000]

/**
 * Plans what goes to make room: first what can be made again, of the longest unused jobs first; then whole downloads in the order
 * of the rule, until there is enough. Jobs that share a file go together or not at all, when the last of them has its turn.
 */
export async function planRoom(db: Kysely<Tables>, request: RoomRequest): Promise<RoomPlan> {
  const { shortage, rule, now } = request
  const copies: (ArtifactRow & { title: string })[] = []
  let freed = 0
  let isMore = true
  while (isMore && freed < shortage && copies.length < maxCopies) {
    const found = await listCopies(db, { now, offset: copies.length, limit: slice })
    isMore = found.length === slice
    for (const copy of found) {
      if (freed >= shortage) break
      copies.push(copy)
      freed += copy.bytes
    }
  }
  if (freed >= shortage) return { copies, jobs: [], freed, isComplete: true }
  // No download goes while a copy may.
  if (isMore) return { copies, jobs: [], freed, isComplete: false }
  const picker = createJobPicker()
  isMore = true
  for (let offset = 0; isMore && freed < shortage && picker.jobs.length < maxJobs; offset += slice) {
    const candidates = await listCandidates(db, rule, { now, offset, limit: slice })
    isMore = candidates.isMore
    for (const candidate of candidates.found) {
      if (freed >= shortage || picker.jobs.length >= maxJobs) break
      freed += picker.add(candidate)
    }
  }
  return { copies, jobs: picker.jobs, freed, isComplete: freed >= shortage || !isMore }
}

/** Creates what collects jobs in their order; those that share a file are picked with the last of them. */
export function createJobPicker() {
  const waiting = new Map<string, Candidate[]>()
  const jobs: LeavingJob[] = []
  return {
    jobs,
    /** Returns the bytes that are freed by it. */
    add(candidate: Candidate): number {
      const key = `${candidate.folder_id}/${candidate.name}`
      const group = [...(waiting.get(key) ?? []), candidate]
      if (group.length < candidate.holders) {
        waiting.set(key, group)
        return 0
      }
      waiting.delete(key)
      const picked = group.map(({ id, title, last_used_at, other_bytes }, index) => ({
        id,
        title,
        last_used_at,
        // The last one frees what they share.
        bytes: other_bytes + (index === group.length - 1 ? candidate.bytes : 0),
      }))
      jobs.push(...picked)
      return picked.reduce((sum, { bytes }) => sum + bytes, 0)
    },
  }
}
