import { createHash } from 'node:crypto'
import type { ListRow } from '../database/tables.ts'

const hour = 3_600_000

/** Schedule of list updates. */
export interface UpdateSchedule {
  /** Hours from one update to the next; 0 for never. */
  readonly hours: number
  /** An administrator chose it: lists that were never fetched are due, too. */
  readonly isChosen: boolean
}

/** Up to a tenth sooner or later, so that not all installs ask at the same minute; the same until the next update. */
function jitter({ id, last_checked }: Pick<ListRow, 'id' | 'last_checked'>): number {
  const drawn = createHash('sha256')
    .update(`${id} ${last_checked ?? 0}`)
    .digest()
    .readUInt32BE()
  return 0.9 + 0.2 * (drawn / 2 ** 32)
}

/**
 * Returns when a list is to be fetched next, milliseconds since the epoch; undefined for never. A list that says it is good for a
 * shorter time is fetched sooner, but not twice within an hour; one that failed within the hour, too.
 */
export function dueAt(
  list: Pick<ListRow, 'id' | 'enabled' | 'last_checked' | 'last_error' | 'expires_seconds'>,
  schedule: UpdateSchedule,
): number | undefined {
  if (list.enabled === 0 || schedule.hours <= 0) return undefined
  if (list.last_checked === null) return schedule.isChosen ? 0 : undefined
  const usual = schedule.hours * hour
  const own = list.expires_seconds === null ? usual : Math.max(hour, list.expires_seconds * 1000)
  const pause = Math.min(usual, own, list.last_error === null ? Infinity : hour)
  return list.last_checked + Math.round(pause * jitter(list))
}
