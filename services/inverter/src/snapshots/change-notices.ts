import type { Reports } from '@hearth/notifications'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { SnapshotDifference, SnapshotDifferences } from './schema.ts'
import { noticeTimes, writeNotices } from './store.ts'

/** Time in which a change of the same parameter is not told again, milliseconds. */
const quietMs = 30 * 86_400_000

/** Changes that a message lists. */
const maxListed = 10

interface NoticeDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly reports: Pick<Reports, 'notify'>
  readonly nameOf: (deviceId: string) => string
}

/**
 * Tells people about settings that changed between two snapshots without a write by this service. A parameter that was told in
 * the last 30 days is not told again, however often it changes.
 */
export async function tellChanges(
  { device_id: deviceId, from, to, differences }: SnapshotDifferences,
  { db, clock, reports, nameOf }: NoticeDependencies,
): Promise<void> {
  const changed = differences.filter(({ origin }) => origin === 'not_ordered')
  if (changed.length === 0) return
  const told = await noticeTimes(db, deviceId)
  const now = clock.now()
  const fresh = changed.filter(({ name }) => now - (told.get(name) ?? -Infinity) >= quietMs)
  if (fresh.length === 0) return
  await writeNotices(db, deviceId, { names: fresh.map(({ name }) => name), at: now })
  const isUpdated = from.firmware !== null && to.firmware !== null && from.firmware !== to.firmware
  const lines = fresh
    .slice(0, maxListed)
    .map((one) => `${one.name}: ${sideOf(one, 'before')} → ${sideOf(one, 'after')}`)
  if (fresh.length > maxListed) lines.push(`and ${fresh.length - maxListed} more`)
  const reason = isUpdated
    ? `The firmware changed from ${from.firmware} to ${to.firmware} in between. `
    : 'This service did not write them. '
  reports.notify({
    class: 'parameters.changed',
    title: `${fresh.length === 1 ? '1 setting' : `${fresh.length} settings`} of ${nameOf(deviceId)} changed`,
    text: `${reason}${lines.join('; ')}.`,
    path: `/parameters/${deviceId}?from=${from.id}&to=${to.id}`,
  })
}

/** A value with its unit or word. */
function sideOf(difference: SnapshotDifference, side: 'before' | 'after'): string {
  const [value, label] = [difference[side], difference[`${side}_label`]]
  if (label !== null) return label.replaceAll('_', ' ')
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  const text = typeof value === 'number' ? String(Number(value.toPrecision(6))) : `“${value ?? ''}”`
  return difference.unit === null ? text : `${text} ${difference.unit}`
}
