import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { flushToDisk, OperatorError } from '@hearth/runtime'

/** A verified backup in the directory. */
export interface BackupFile {
  readonly path: string
  /** Time the backup was made at, milliseconds. */
  readonly at: number
}

/** Number of backups that failed verification and are kept aside; older ones are removed. */
const failedLimit = 3

/**
 * The backups of one service in a directory, which may hold other files and those of other services. A backup counts by its
 * name: `sites-20260102T030405Z.hearth-backup` is verified, the same with `.unverified` is being made, and with `.failed` it
 * was found not to restore. Backups from before an upgrade, `sites-20260102T030405Z-before-upgrade.hearth-backup`, are a set
 * apart from the scheduled ones.
 */
export class BackupFiles {
  readonly directory: string
  readonly #service: string
  readonly #ending: string
  readonly #name: RegExp

  constructor(directory: string, service: string, kind: 'scheduled' | 'before upgrade' = 'scheduled') {
    this.directory = directory
    this.#service = service
    this.#ending = `Z${kind === 'scheduled' ? '' : '-before-upgrade'}.hearth-backup`
    const ending = this.#ending.replaceAll('.', '\\.')
    this.#name = new RegExp(`^${service}-(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)${ending}(\\..+)?$`)
  }

  /** Returns the verified backups, newest first; none when the directory is missing. */
  async verified(): Promise<BackupFile[]> {
    const files = (await this.#list()).filter(({ suffix }) => suffix === '')
    return files.map(({ path, at }) => ({ path, at }))
  }

  /** Returns the newest verified backup that is not from the future, where only a wrong clock makes them. */
  async newest(now: number): Promise<BackupFile | undefined> {
    return (await this.verified()).find(({ at }) => at <= now)
  }

  /** Makes the directory, removes what an interrupted backup left, and checks that there is room for so many bytes. */
  async prepare(neededBytes: number): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new OperatorError(`${this.directory} cannot be used for backups: ${(error as Error).message}`)
    })
    const files = await this.#list()
    const unfinished = files.filter(({ suffix }) => /^\.unverified(\.\d+\.tmp)?$/.test(suffix))
    const failed = files.filter(({ suffix }) => suffix === '.failed').slice(failedLimit)
    for (const { path } of [...unfinished, ...failed]) await rm(path, { force: true })
    await checkSpace(this.directory, neededBytes)
  }

  /** Returns the path of a backup that is being made at the time. */
  unverifiedPath(at: number): string {
    const time = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    return join(this.directory, `${this.#service}-${time}${this.#ending}.unverified`)
  }

  /** Ends the making of a backup: from now on it counts, or is kept aside. Returns its path. */
  async settle(unverifiedPath: string, outcome: 'verified' | 'failed'): Promise<string> {
    const path = unverifiedPath.replace(/\.unverified$/, outcome === 'verified' ? '' : '.failed')
    await rename(unverifiedPath, path)
    await flushToDisk(this.directory)
    return path
  }

  /** Returns the time in the name of a verified backup, milliseconds; undefined for another name. */
  timeOf(name: string): number | undefined {
    const parsed = this.#parse(name)
    return parsed?.suffix === '' ? parsed.at : undefined
  }

  #parse(name: string): { readonly at: number; readonly suffix: string } | undefined {
    const [, year, month, day, hour, minute, second, suffix = ''] = this.#name.exec(name) ?? []
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(at) ? undefined : { at, suffix }
  }

  /** Newest first. */
  async #list() {
    const names = await readdir(this.directory).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    const files = names.flatMap((name) => {
      const parsed = this.#parse(name)
      return parsed === undefined ? [] : [{ path: join(this.directory, name), ...parsed }]
    })
    return files.toSorted((a, b) => b.at - a.at)
  }
}

/** Throws an `OperatorError` when the file system of the directory has fewer bytes left than are needed. */
export async function checkSpace(directory: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  if (free < neededBytes)
    throw new OperatorError(`${directory} has ${free} bytes left, and a backup may need ${neededBytes}`)
}

/** Returns the size of a file, bytes. */
export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size
