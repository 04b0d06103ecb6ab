import { formatBytes, formatCount } from './format.ts'
import type { Tone } from './status-badge.tsx'

/** The scheduled backups of a service, as its API tells them. */
export interface BackupReport {
  /** Null when the service makes none by itself. */
  readonly directory: string | null
  readonly every_seconds: number
  readonly keep: { readonly days: number; readonly weeks: number; readonly months: number }
  /** Second place of the backups; null when there is none. */
  readonly copied_to: string | null
  readonly is_running: boolean
  readonly next_at: string | null
  readonly last_backup: {
    readonly made_at: string
    readonly bytes: number
    readonly rows: number | null
    readonly seconds: number | null
  } | null
  readonly last_attempt: { readonly at: string; readonly seconds: number; readonly error: string | null } | null
}

/** Returns the state of the backups in a word or two. */
export function backupStanding(report: BackupReport, now: Date): { readonly tone: Tone; readonly text: string } {
  const { is_running, last_backup, last_attempt, every_seconds } = report
  if (is_running) return { tone: 'accent', text: 'Running' }
  if (last_attempt !== null && last_attempt.error !== null) return { tone: 'bad', text: 'Failed' }
  if (last_backup === null) return { tone: 'warn', text: 'No backup yet' }
  const age = (now.getTime() - new Date(last_backup.made_at).getTime()) / 1000
  return age > 2 * every_seconds ? { tone: 'warn', text: 'Overdue' } : { tone: 'good', text: 'Verified' }
}

/** Says how often backups are made: `every day`, `every 6 hours`. */
export function everyText(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
  ] as const
  const [size, noun] = units.find(([unit]) => seconds % unit === 0) ?? [60, 'minute']
  return seconds === size ? `every ${noun}` : `every ${formatCount(seconds / size, noun)}`
}

/** Says which backups are kept: `the newest of 7 days, 4 weeks and 6 months`. */
export function keptText({ days, weeks, months }: BackupReport['keep']): string {
  const parts = [
    [days, 'day'],
    [weeks, 'week'],
    [months, 'month'],
  ] as const
  const kept = parts.filter(([count]) => count > 0).map(([count, noun]) => formatCount(count, noun))
  if (kept.length === 0) return 'only the newest'
  return `the newest of each of ${new Intl.ListFormat('en-GB').format(kept)}`
}

/** Outcome of a backup that was started when the report was `before`: a sentence, or an error. */
export function outcomeSince(
  before: BackupReport,
  after: BackupReport,
): { readonly message: string; readonly error?: undefined } | { readonly message?: undefined; readonly error: string } {
  const { last_attempt, last_backup } = after
  const { at, seconds } = before.last_attempt ?? {}
  // Two attempts may begin in the same second.
  if (last_attempt === null || (last_attempt.at === at && last_attempt.seconds === seconds))
    return { message: 'Another process of this service makes the backup' }
  if (last_attempt.error !== null) return { error: `The backup failed: ${last_attempt.error}` }
  return { message: `Backup verified${last_backup === null ? '' : `: ${formatBytes(last_backup.bytes)}`}` }
}
