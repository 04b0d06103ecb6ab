import type { Tone } from '@hearth/ui'
import { formatDuration } from '@hearth/ui/format'
import { formatTimestamp } from '@hearth/ui/format-time'
import type { Snapshot, SnapshotDifference } from '../api.ts'
import { formatValue } from '../values/quantity.ts'

const origins: Record<Snapshot['origin'], string> = {
  manual: 'Snapshot',
  firmware: 'After a firmware update',
  daily: 'Daily snapshot',
  current: 'Last comparison',
}

/** Name of a snapshot for people. */
export const snapshotTitle = ({ name, origin }: Pick<Snapshot, 'name' | 'origin'>): string => name ?? origins[origin]

/** A snapshot in a list to choose from: its name and when it was read. */
export function snapshotChoice(snapshot: Snapshot): { value: string; label: string } {
  const at = formatTimestamp(new Date(snapshot.begun_at))
  return { value: String(snapshot.id), label: `${snapshotTitle(snapshot)}, ${at}` }
}

/** Snapshots to compare when the address names none: the newest complete one and the one before it. */
export function chosenPair(
  snapshots: readonly Snapshot[],
  { from, to }: { from: string | null; to: string | null },
): { from: Snapshot; to: Snapshot } | undefined {
  const complete = snapshots.filter(({ state }) => state === 'complete')
  const find = (id: string | null) => complete.find((one) => String(one.id) === id)
  const later = find(to) ?? complete[0]
  const earlier = find(from) ?? complete.find(({ id }) => later !== undefined && id < later.id)
  return earlier === undefined || later === undefined || earlier === later ? undefined : { from: earlier, to: later }
}

/** The newest snapshot from before the firmware that the newest one has. */
export function beforeUpdate(snapshots: readonly Snapshot[]): Snapshot | undefined {
  const complete = snapshots.filter(({ state }) => state === 'complete')
  const firmware = complete[0]?.firmware ?? null
  return firmware === null
    ? undefined
    : complete.find((snapshot) => snapshot.firmware !== null && snapshot.firmware !== firmware)
}

/** A side of a difference with its word or unit. */
export function sideText(difference: SnapshotDifference, side: 'before' | 'after'): string {
  const value = difference[side]
  if (value === null) return 'No value'
  const label = difference[`${side}_label`]
  return label === null ? formatValue(value, difference.unit) : `${label.replaceAll('_', ' ')} (${value})`
}

const causes = { api: 'API', admin: 'web page', dispatch: 'battery control', restore: 'restore' } as const

/** Author of a change, for people. */
export function originText({ origin, write }: Pick<SnapshotDifference, 'origin' | 'write'>): {
  tone: Tone
  text: string
} {
  switch (origin) {
    case 'written_here':
      return { tone: 'good', text: write === null ? 'Written here' : writer(write) }
    case 'not_ordered':
      return { tone: 'warn', text: 'Nobody here ordered this' }
    case 'unknown':
      return { tone: 'quiet', text: 'Unknown: older than the write journal' }
    case 'fact':
      return { tone: 'quiet', text: 'Changes by itself' }
    case 'only_once':
      return { tone: 'quiet', text: 'Read only once' }
  }
}

const writer = ({ cause, caller }: NonNullable<SnapshotDifference['write']>): string =>
  caller === null ? `Written by ${causes[cause]}` : `Written by ${caller} (${causes[cause]})`

/** A length of time in words that end a sentence. */
export const roughly = (seconds: number): string => `about ${formatDuration(Math.max(1, seconds))}`
