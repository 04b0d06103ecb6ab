import { defineCollector, type Collector } from './collector.ts'

/** State of a service's scheduled backups; times in milliseconds. */
interface BackupState {
  /** Undefined when the service makes none by itself. */
  readonly directory: string | undefined
  readonly everyMs: number
  /** The newest verified backup. */
  readonly newest: { readonly at: number; readonly bytes: number } | undefined
  readonly lastGood: { readonly seconds: number } | null
  readonly lastAttempt: { readonly at: number; readonly error: string | null } | null
}

/** The figures of a service's scheduled backups; none while they are not configured. */
export function backupCollector(backups: { status(): Promise<BackupState> }): Collector {
  return defineCollector({
    name: 'backups',
    figures: {
      hearth_backup_interval_seconds: { type: 'gauge', help: 'Time between two scheduled backups' },
      hearth_backup_last_success_timestamp_seconds: { type: 'gauge', help: 'Time of the newest verified backup' },
      hearth_backup_size_bytes: { type: 'gauge', help: 'Size of the newest verified backup' },
      hearth_backup_duration_seconds: {
        type: 'gauge',
        help: 'Time that the last good backup took, its verification included',
      },
      hearth_backup_last_attempt_timestamp_seconds: { type: 'gauge', help: 'Time of the last attempt' },
      hearth_backup_last_attempt_failed: { type: 'gauge', help: '1 when the last attempt failed, otherwise 0' },
    },
    async read() {
      const { directory, everyMs, newest, lastGood, lastAttempt } = await backups.status()
      if (directory === undefined) return {}
      return {
        hearth_backup_interval_seconds: everyMs / 1000,
        hearth_backup_last_success_timestamp_seconds: newest && newest.at / 1000,
        hearth_backup_size_bytes: newest?.bytes,
        hearth_backup_duration_seconds: lastGood?.seconds,
        hearth_backup_last_attempt_timestamp_seconds: lastAttempt === null ? undefined : lastAttempt.at / 1000,
        hearth_backup_last_attempt_failed: lastAttempt === null ? undefined : Number(lastAttempt.error !== null),
      }
    },
  })
}
