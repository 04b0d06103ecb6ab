import type { DoctorCheck, Environment } from '@hearth/runtime'
import { BackupFiles } from './backup-files.ts'
import type { BackupPolicy } from './backup-settings.ts'
import { readBackupState } from './backup-state.ts'

/** The settings of a service that say where its backups are. */
export interface BackedUp {
  readonly dataDirectory: string
  readonly backups: BackupPolicy
}

/**
 * Tells age and outcome of the last scheduled backup, for `hearth doctor`; nothing where `BACKUP_DIR` is not set. The files
 * decide on the age: a backup that was deleted is none. What is kept of the last attempt decides whether it failed.
 *
 * @param read reads the service's settings
 */
export async function describeBackups(
  service: string,
  read: (environment: Environment) => BackedUp,
  { environment = process.env, now = Date.now() }: { readonly environment?: Environment; readonly now?: number } = {},
): Promise<DoctorCheck[]> {
  if (!environment['BACKUP_DIR']) return []
  try {
    return [{ name: 'backups', ...(await describe(service, read(environment), now)) }]
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unknown error'
    return [{ name: 'backups', state: 'degraded', detail, meaning: 'whether there are backups is not known' }]
  }
}

async function describe(
  service: string,
  { dataDirectory, backups: { directory = '', everyMs } }: BackedUp,
  now: number,
): Promise<Omit<DoctorCheck, 'name'>> {
  const newest = await new BackupFiles(directory, service).newest(now)
  const { lastAttempt } = await readBackupState(dataDirectory)
  const last = newest === undefined ? `no backup in ${directory}` : `${newest.path}, ${ageText(now - newest.at)} old`
  // Another process of the service may have made one since.
  if (lastAttempt !== null && lastAttempt.error !== null && lastAttempt.at >= (newest?.at ?? -Infinity)) {
    const detail = `failed ${ageText(now - lastAttempt.at)} ago: ${lastAttempt.error}`
    return { state: 'degraded', detail, meaning: `tried again every ten minutes while the service runs; ${last}` }
  }
  if (newest === undefined)
    return { state: 'degraded', detail: last, meaning: 'the service makes the first one soon after its start' }
  const isOld = now - newest.at > 2 * everyMs
  const meaning = isOld
    ? `older than twice BACKUP_EVERY (${ageText(everyMs)}): is the service running?`
    : 'made and verified as BACKUP_EVERY says'
  return { state: isOld ? 'degraded' : 'ok', detail: last, meaning }
}

/** A time span in the largest unit that it has at least two of, rounded down. */
function ageText(ms: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
  ] as const
  const [size, name] = units.find(([unitMs]) => ms >= 2 * unitMs) ?? [60_000, 'minutes']
  const count = Math.max(0, Math.floor(ms / size))
  return count === 1 ? '1 minute' : `${count} ${name}`
}
