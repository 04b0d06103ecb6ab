import type { Tone } from '@hearth/ui'
import { formatDuration } from '@hearth/ui/format'
import type { UptimeDay, UptimeState } from './read-uptime.ts'

/** Labels and meanings of the states. */
export const stateWords: Readonly<Record<UptimeState, { readonly text: string; readonly tone: Tone }>> = {
  up: { text: 'Up', tone: 'good' },
  down: { text: 'Down', tone: 'bad' },
  maintenance: { text: 'Maintenance', tone: 'warn' },
  unknown: { text: 'Not known yet', tone: 'quiet' },
  off: { text: 'Not checked', tone: 'quiet' },
}

/** A share in percent, which is never 100 % when something was down; a dash when nothing was observed. */
export function percentText(share: number | null): string {
  if (share === null) return '–'
  if (share === 1) return '100 %'
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`
}

/** Kind of a day, for its colour. */
export type DayKind = 'up' | 'part' | 'down' | 'none'

/** Returns the kind of a day by its share. */
export function kindOf(share: number | null): DayKind {
  if (share === null) return 'none'
  if (share >= 0.999) return 'up'
  return share >= 0.95 ? 'part' : 'down'
}

/** Describes a day, what was not observed too. */
export function dayText(day: UptimeDay): string {
  const parts = [
    day.uptime === null ? 'nothing observed' : `${percentText(day.uptime)} up`,
    day.down_seconds > 0 ? `${formatDuration(day.down_seconds)} down` : '',
    day.maintenance_seconds > 0 ? `${formatDuration(day.maintenance_seconds)} maintenance` : '',
    day.uptime !== null && day.unobserved_seconds >= 60 ? `${formatDuration(day.unobserved_seconds)} not observed` : '',
  ]
  return `${day.date}: ${parts.filter((part) => part !== '').join(', ')}`
}
