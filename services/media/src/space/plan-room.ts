import type { Kysely } from 'kysely'
import type { StorageRule } from '../settings/schema.ts'
import type { Tables } from '../tables.ts'
import { listCandidates, listCopies, type Candidate, type Copy, type Placed } from './store.ts'

/** Files that go to make room. */
export interface RoomPlan {
  readonly copies: readonly Copy[]
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

/** Jobs read at a time. */
const slice = 200
/** Copies read first, and at a time from then on: few are needed mostly, and what is left is sorted anew for each part. */
const [fewCopies, manyCopies] = [200, 2000]
/** Most copies and jobs in one plan. */
const [maxCopies, maxJobs] = [2000, 1000]

/**
 * Plans what goes to make room: first what can be made again, of the longest unused jobs first; then whole downloads in the order
 * of the rule, until there is enough. Jobs that share a file go together or not at all, when the last of them has its turn.
 */
export async function planRoom(db: Kysely<Tables>, request: RoomRequest): Promise<RoomPlan> {
  const { shortage, rule, now } = request
  const { copies, freed: freedByCopies, isMore } = await planCopies(db, request)
  if (freedByCopies >= shortage) return { copies, jobs: [], freed: freedByCopies, isComplete: true }
  // No download goes while a copy may.
  if (isMore) return { copies, jobs: [], freed: freedByCopies, isComplete: false }
  const picker = createJobPicker()
  let freed = freedByCopies
  let after: Placed | undefined
  do {
    const { found, next } = await listCandidates(db, rule, { now, after, limit: slice })
    for (const candidate of found) {
      if (freed >= shortage || picker.jobs.length >= maxJobs) break
      freed += picker.add(candidate)
    }
    after = next
  } while (after !== undefined && freed < shortage && picker.jobs.length < maxJobs)
  return { copies, jobs: picker.jobs, freed, isComplete: freed >= shortage || after === undefined }
}

async function planCopies(
  db: Kysely<Tables>,
  { shortage, now }: RoomRequest,
): Promise<{ copies: Copy[]; freed: number; isMore: boolean }> {
  const copies: Copy[] = []
  let freed = 0
  let isMore = true
  for (let part = fewCopies; isMore && freed < shortage && copies.length < maxCopies; part = manyCopies) {
    const limit = Math.min(part, maxCopies - copies.length)
    const found = await listCopies(db, { now, after: copies.at(-1), limit })
    isMore = found.length === limit
    for (const copy of found) {
      if (freed >= shortage) break
      copies.push(copy)
      freed += copy.bytes
    }
  }
  return { copies, freed, isMore }
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
