import { z } from 'zod'
import type { BackupStatus } from './backups.ts'

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const time = z.iso.datetime()

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The scheduled backups of a service, as its API tells them. */
export const BackupReport = z
  .object({
    directory: z.string().nullable().meta({ description: 'BACKUP_DIR; null when it is not set: no backups are made' }),
    every_seconds: count.meta({ description: 'BACKUP_EVERY' }),
    keep: z
      .object({ days: count, weeks: count, months: count })
      .meta({ description: 'BACKUP_KEEP: days, weeks and months of which the newest backup stays' }),
    copied_to: z.string().nullable().meta({ description: 'Second place of the backups; null when there is none' }),
    is_running: z.boolean().meta({ description: 'A backup is being made by this process' }),
    next_at: time.nullable().meta({ description: 'Time the next backup is due; null when none will be made' }),
    last_backup: z
      .object({
        file: z.string(),
        made_at: time,
        bytes: count,
        rows: count.nullable().meta({ description: 'Rows that were restored and compared; null when not known' }),
        seconds: z.number().nullable().meta({ description: 'Time it took; null when not known' }),
      })
      .nullable()
      .meta({ description: 'The newest verified backup in the directory; null when there is none' }),
    last_attempt: z
      .object({
        at: time,
        seconds: z.number(),
        error: z.string().nullable().meta({ description: 'Reason of the failure; null when the backup was verified' }),
      })
      .nullable()
      .meta({ description: 'Outcome of the last attempt; null when there was none' }),
  })
  .meta({ id: 'BackupReport' })
export type BackupReport = z.infer<typeof BackupReport>

/** Turns the status of the backups into what the API tells. */
export function backupReport(status: BackupStatus): BackupReport {
  const { directory = null, everyMs, keep, copiedTo = null, newest, nextAt, isRunning, lastAttempt, lastGood } = status
  const made = lastGood?.file === newest?.path ? lastGood : null
  return {
    directory,
    every_seconds: everyMs / 1000,
    keep: { ...keep },
    copied_to: copiedTo,
    is_running: isRunning,
    next_at: nextAt === undefined ? null : isoTime(nextAt),
    last_backup:
      newest === undefined
        ? null
        : {
            file: newest.path,
            made_at: isoTime(newest.at),
            bytes: newest.bytes,
            rows: made?.rows ?? null,
            seconds: made?.seconds ?? null,
          },
    last_attempt: lastAttempt && {
      at: isoTime(lastAttempt.at),
      seconds: lastAttempt.seconds,
      error: lastAttempt.error,
    },
  }
}
