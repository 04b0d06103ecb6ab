import type { Kysely } from 'kysely'
import { artifactKinds } from '../artifacts/artifact-kind.ts'
import { readTotals } from '../artifacts/totals-store.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import type { Settings, StorageRule } from '../settings/schema.ts'
import type { Tables } from '../tables.ts'
import { planRoom, type RoomPlan } from './plan-room.ts'
import type { StoragePlan, StorageUsage } from './schema.ts'
import { sumFreeable, sumPinned, sumReserved, sumTotals } from './store.ts'

/** A budget, and what is to be stored within it. */
export interface RoomQuestion {
  /** Bytes; 0 is without limit. */
  readonly budget: number
  readonly rule: StorageRule
  readonly now: number
  /** Bytes to be stored; none by default. */
  readonly bytes?: number
  /** Id of the job or export whose own reservation does not count. */
  readonly besides?: string
  /** Bytes that the disk lacks. */
  readonly diskShortage?: number
}

/** Room as it is, and what would go to make enough. */
export interface Assessment {
  readonly used: number
  readonly reserved: number
  /** Bytes that are too many; 0 when everything fits. */
  readonly shortage: number
  readonly plan: RoomPlan
  /** Bytes that the plan and those after it can free. */
  readonly freeable: number
}

const nothing: RoomPlan = { copies: [], jobs: [], freed: 0, isComplete: true }

/** Finds out whether there is room, and what would go to make it. Changes nothing. */
export async function assessRoom(db: Kysely<Tables>, question: RoomQuestion): Promise<Assessment> {
  const { budget, rule, now, bytes = 0, besides, diskShortage = 0 } = question
  const [used, reserved] = [
    await sumTotals(db),
    await sumReserved(db, { now, ...(besides !== undefined && { besides }) }),
  ]
  const shortage = budget === 0 ? 0 : Math.max(0, used + reserved + bytes - budget, diskShortage)
  const plan = shortage === 0 ? nothing : await planRoom(db, { shortage, rule, now })
  const freeable = plan.isComplete ? plan.freed : await sumFreeable(db, now)
  return { used, reserved, shortage, plan, freeable }
}

/** Downloads of a plan that the API names. */
const maxNamed = 100

/** A plan as the API shows it. */
export function planView({ shortage, freeable, plan: { copies, jobs, freed, isComplete } }: Assessment): StoragePlan {
  const sum = (rows: readonly { readonly bytes: number }[]) => rows.reduce((total, { bytes }) => total + bytes, 0)
  return {
    shortage_bytes: shortage,
    freed_bytes: freed,
    is_enough: freeable >= shortage,
    is_complete: isComplete,
    copies: { bytes: sum(copies), files: copies.length },
    downloads: {
      bytes: sum(jobs),
      count: jobs.length,
      first: jobs.slice(0, maxNamed).map(({ id, title, bytes, last_used_at: used }) => ({
        job_id: id,
        title,
        bytes,
        last_used_at: used === null ? null : jobTimestamp(used),
      })),
    },
  }
}

/** What stored files take, as far as the database knows it. */
export async function readUsage(
  db: Kysely<Tables>,
  { settings, now }: { settings: Settings; now: number },
): Promise<Omit<StorageUsage, 'work_bytes' | 'disk_free_bytes' | 'files_disk_free_bytes' | 'is_missing'>> {
  const totals = new Map((await readTotals(db)).map((row) => [row.kind, row]))
  const kinds = artifactKinds.map((kind) => {
    const { bytes = 0, files = 0 } = totals.get(kind) ?? {}
    return { kind, bytes, files }
  })
  return {
    used_bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
    reserved_bytes: await sumReserved(db, { now }),
    budget_bytes: settings.storage_budget_bytes,
    rule: settings.storage_rule,
    kinds,
    pinned: await sumPinned(db),
  }
}
