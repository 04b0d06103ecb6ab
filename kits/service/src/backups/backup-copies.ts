import { basename } from 'node:path'
import type { BackupFiles } from './backup-files.ts'
import { expiredBackups, type Retention } from './retention.ts'

/** A second place for verified backups, such as object storage. */
export interface BackupStore {
  /** Name of the place for messages; without keys. */
  readonly place: string
  /** Stores the file under a name; it appears there when it is complete. */
  put(name: string, path: string, signal: AbortSignal): Promise<void>
  /** Names of the backups there; other things may lie beside them. */
  list(signal: AbortSignal): Promise<string[]>
  remove(name: string, signal: AbortSignal): Promise<void>
}

/**
 * Brings every verified backup of the directory that is missing in the store there, and removes those from it that are no
 * longer wanted.
 */
export async function copyBackups(
  files: BackupFiles,
  store: BackupStore,
  { keep, now, signal }: { readonly keep: Retention; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const before = new Set(await store.list(signal))
  const local = (await files.verified()).map(({ path }) => ({ path, name: basename(path) }))
  for (const { name, path } of local) if (!before.has(name)) await store.put(name, path, signal)
  const stored = new Set([...before, ...local.map(({ name }) => name)])
  const timed = [...stored].flatMap((name) => {
    const at = files.timeOf(name)
    return at === undefined ? [] : [{ name, at }]
  })
  const times = timed.map(({ at }) => at)
  const expired = new Set(expiredBackups(times, keep, now))
  for (const { name, at } of timed) if (expired.has(at)) await store.remove(name, signal)
}
