import type { EventClass } from './message.ts'
import type { Reports } from './outbox/reporter.ts'

/** The event class of backups, which every service has. */
export const backupClass: EventClass = {
  id: 'backup.failed',
  group: 'Backups',
  label: 'Backup failed',
  severity: 'warning',
}

/** Reports the outcome of a backup; `error` is null when it was made and verified. */
export function reportBackup(reports: Reports, { error }: { readonly error: string | null }): void {
  const base = { class: backupClass.id, subject: 'backup', path: '/settings' }
  if (error === null) reports.end({ ...base, title: 'Backups work again', text: 'A backup was made and verified.' })
  else reports.begin({ ...base, title: 'Backup failed', text: `${error}. It is tried again every ten minutes.` })
}
