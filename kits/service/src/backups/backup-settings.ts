import { resolve } from 'node:path'
import { filePath, settingKind } from '@hearth/runtime'
import { z } from 'zod'
import type { Retention } from './retention.ts'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const [shortestMs, longestMs] = [600_000, 366 * 86_400_000]
const durationRule = 'must be a duration such as 30m, 6h, 24h or 7d, from 10m to 366d'
const keepRule = 'must be numbers of days, weeks and months such as 7d,4w,6m, each at most 1000'

const duration = z
  .string()
  .regex(/^\d{1,6}[mhd]$/, durationRule)
  .transform((text) => Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0))
  .refine((ms) => ms >= shortestMs && ms <= longestMs, durationRule)
  .meta(settingKind('own form'))

const retention = z
  .string()
  .regex(/^(?=\d)((^|,)(1000|\d{1,3})d)?((^|,)(1000|\d{1,3})w)?((^|,)(1000|\d{1,3})m)?$/, keepRule)
  .transform((text): Retention => {
    const count = (unit: string) => Number(new RegExp(`(\\d+)${unit}`).exec(text)?.[1] ?? 0)
    return { days: count('d'), weeks: count('w'), months: count('m') }
  })
  .meta(settingKind('own form'))

/** Settings of the backups that a service makes by itself. */
export const backupSettings = {
  BACKUP_DIR: filePath.optional(),
  BACKUP_EVERY: duration.default(86_400_000),
  BACKUP_KEEP: retention.default({ days: 7, weeks: 4, months: 6 }),
}

/** When and where a service makes backups by itself, and which it keeps. */
export interface BackupPolicy {
  /** Undefined when it makes none. */
  readonly directory: string | undefined
  readonly everyMs: number
  readonly keep: Retention
}

/** The part of a service's configuration that its `backupSettings` say. */
export function backupConfig(settings: z.infer<z.ZodObject<typeof backupSettings>>): {
  readonly backups: BackupPolicy
} {
  const { BACKUP_DIR: directory, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep } = settings
  return { backups: { directory: directory === undefined ? undefined : resolve(directory), everyMs, keep } }
}
