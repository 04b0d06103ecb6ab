import type { BackupStatus } from '@hearth/service'
import { Gauge, Registry } from 'prom-client'

/** Creates the metrics of the scheduled backups, anew for each scrape: what is not known is absent, not zero. */
export function backupMetrics({ directory, everyMs, newest, lastGood, lastAttempt }: BackupStatus): Registry {
  const registry = new Registry()
  if (directory === undefined) return registry
  const add = (name: string, help: string, value: number | undefined) => {
    if (value !== undefined) new Gauge({ name: `vendor_backup_${name}`, help, registers: [registry] }).set(value)
  }
  add('interval_seconds', 'Time between two scheduled backups', everyMs / 1000)
  add('last_success_timestamp_seconds', 'Time of the newest verified backup', newest && newest.at / 1000)
  add('size_bytes', 'Size of the newest verified backup', newest?.bytes)
  add('duration_seconds', 'Time that the last good backup took, its verification included', lastGood?.seconds)
  if (lastAttempt === null) return registry
  add('last_attempt_timestamp_seconds', 'Time of the last attempt', lastAttempt.at / 1000)
  add('last_attempt_failed', '1 when the last attempt failed, otherwise 0', Number(lastAttempt.error !== null))
  return registry
}
