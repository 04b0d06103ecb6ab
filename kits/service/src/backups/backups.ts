import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, OperatorError, type Timers } from '@hearth/runtime'
import { type BackupStore, copyBackups } from './backup-copies.ts'
import { BackupFiles, sizeOf } from './backup-files.ts'
import type { BackupPolicy } from './backup-settings.ts'
import { type BackupAttempt, type BackupState, readBackupState, writeBackupState } from './backup-state.ts'
import { type BackupSource, makeBackup } from './make-backup.ts'
import { expiredBackups, type Retention } from './retention.ts'

/** Dependencies of the backups. */
export interface BackupDependencies<Tables> {
  readonly source: BackupSource<Tables>
  readonly policy: BackupPolicy
  /** Directory of the service, for what it knows of its backups and the database a backup is tried in. */
  readonly dataDirectory: string
  /** Second place for the backups. */
  readonly store?: BackupStore | undefined
  readonly log: Log
  readonly timers: Timers
}

/** The backups of a service as its pages, its API and its figures show them. */
export interface BackupStatus extends BackupState {
  /** Undefined when the service makes none by itself. */
  readonly directory: string | undefined
  readonly everyMs: number
  readonly keep: Retention
  /** Second place for the backups; undefined when there is none. */
  readonly copiedTo: string | undefined
  /** The newest verified file in the directory; undefined when there is none, or the directory cannot be read. */
  readonly newest: NewestBackup | undefined
  /** Time the next one is due, milliseconds; undefined when none will be made. */
  readonly nextAt: number | undefined
  readonly isRunning: boolean
}

/** The newest verified backup in the directory. */
export interface NewestBackup {
  readonly path: string
  /** Milliseconds. */
  readonly at: number
  readonly bytes: number
}

/** The backups of a service as its routes, pages and figures use them. */
export type BackupControl = Pick<Backups<unknown>, 'status' | 'run'>

/** Milliseconds from the start of the service to the first look, between two looks, and after a failure. */
const [firstLookMs, lookMs, retryMs] = [10_000, 60_000, 600_000]

/** Longest time a backup may take, milliseconds. */
const limitMs = 3_600_000

/** Lock of a PostgreSQL database that several processes of a service share: one of them makes the backup. */
const backupLock = 8_100_001

/**
 * Makes backups of a running service when one is due, or when somebody asks. The newest verified file in the directory
 * decides when: a restart changes nothing, and one that was missed is made soon after the start. The clock is looked at each
 * minute, so that setting it right needs no restart.
 */
export class Backups<Tables> {
  readonly #dependencies: BackupDependencies<Tables>
  readonly #files: BackupFiles | undefined
  readonly #closing = new AbortController()
  #cancelLook: (() => void) | undefined
  #running: Promise<BackupAttempt | undefined> | undefined
  #retryAt = -Infinity
  #listener: (attempt: BackupAttempt) => void = () => undefined
  #looking: Promise<void> | undefined
  /** Whether the second place may lack backups. */
  #mustCopy: boolean

  constructor(dependencies: BackupDependencies<Tables>) {
    this.#dependencies = dependencies
    const { policy, source, store } = dependencies
    this.#mustCopy = store !== undefined
    this.#files = policy.directory === undefined ? undefined : new BackupFiles(policy.directory, source.service)
  }

  /** Starts looking whether a backup is due; does nothing without a directory. */
  start(): void {
    if (this.#files !== undefined) this.#lookIn(firstLookMs)
  }

  /** Calls the listener with the outcome of each attempt from now on. */
  onAttempt(listener: (attempt: BackupAttempt) => void): void {
    this.#listener = listener
  }

  /**
   * Makes a backup now, or joins the one that is being made. Never throws: the outcome says what went wrong. Undefined when
   * no directory is set, or another process of the service makes one.
   */
  run(): Promise<BackupAttempt | undefined> {
    const files = this.#files
    if (files === undefined || this.#closing.signal.aborted) return Promise.resolve(undefined)
    this.#running ??= this.#attempt(files).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Reads what is known of the last backups, and when the next one is due. */
  async status(): Promise<BackupStatus> {
    const { policy, dataDirectory, store } = this.#dependencies
    const state = await readBackupState(dataDirectory)
    const found = await this.#readDirectory().catch(() => ({ newest: undefined, nextAt: undefined }))
    return { ...state, ...policy, ...found, copiedTo: store?.place, isRunning: !!this.#running }
  }

  /** Stops looking, and ends a backup that is being made; it leaves nothing that counts. */
  async close(): Promise<void> {
    this.#cancelLook?.()
    this.#closing.abort(new OperatorError('the service was stopped during the backup'))
    await this.#looking
    await this.#running
  }

  #lookIn(ms: number): void {
    if (this.#closing.signal.aborted) return
    this.#cancelLook = this.#dependencies.timers.after(ms, () => (this.#looking = this.#look()))
  }

  async #look(): Promise<void> {
    const files = this.#files
    if (files === undefined) return
    const { timers } = this.#dependencies
    // A directory that cannot be read is due too: the attempt says what is wrong with it.
    const dueAt = await this.#dueAt(files).catch(() => -Infinity)
    const mayTry = timers.monotonic() >= this.#retryAt
    if (mayTry && timers.now() >= dueAt) await this.run()
    else if (mayTry && this.#mustCopy) await this.#copyAgain(files)
    this.#lookIn(lookMs)
  }

  async #dueAt(files: BackupFiles): Promise<number> {
    const now = this.#dependencies.timers.now()
    const newest = await files.newest(now)
    return newest === undefined ? now : newest.at + this.#dependencies.policy.everyMs
  }

  async #readDirectory(): Promise<Pick<BackupStatus, 'newest' | 'nextAt'>> {
    const files = this.#files
    if (files === undefined) return { newest: undefined, nextAt: undefined }
    const newest = await files.newest(this.#dependencies.timers.now())
    return {
      newest: newest && { ...newest, bytes: await sizeOf(newest.path) },
      nextAt: await this.#dueAt(files),
    }
  }

  async #attempt(files: BackupFiles): Promise<BackupAttempt | undefined> {
    const { timers, log } = this.#dependencies
    // Names of files have seconds.
    const [at, startedAt] = [Math.floor(timers.now() / 1000) * 1000, timers.monotonic()]
    const seconds = () => Math.round(timers.monotonic() - startedAt) / 1000
    let attempt: BackupAttempt
    try {
      const made = await this.#makeLocked(files, at)
      if (made === undefined) return undefined
      attempt = { at, seconds: seconds(), error: null, file: made.path, bytes: made.bytes, rows: made.rows }
      log.info(attempt, 'backup made and verified')
    } catch (error) {
      this.#retryAt = timers.monotonic() + retryMs
      const reason = error instanceof Error ? error.message : 'unknown error'
      attempt = { at, seconds: seconds(), error: reason, file: null, bytes: null, rows: null }
      log.error(attempt, 'backup failed')
    }
    if (attempt.error === null) {
      await this.#expire(files)
      attempt = await this.#copy(files, attempt)
    }
    await this.#remember(attempt)
    this.#listener(attempt)
    return attempt
  }

  /** Copies the backups to the second place. Returns the attempt with its outcome. */
  async #copy(files: BackupFiles, attempt: BackupAttempt): Promise<BackupAttempt> {
    const { policy, timers, log, store } = this.#dependencies
    if (store === undefined) return attempt
    try {
      await copyBackups(files, store, { keep: policy.keep, now: timers.now(), signal: this.#closing.signal })
      this.#mustCopy = false
      return { ...attempt, error: null }
    } catch (error) {
      this.#mustCopy = true
      this.#retryAt = timers.monotonic() + retryMs
      const reason = error instanceof Error ? error.message : 'unknown error'
      log.error(`the backups cannot be copied to ${store.place}: ${reason}`)
      return { ...attempt, error: `made and verified, but not copied to ${store.place}: ${reason}` }
    }
  }

  async #copyAgain(files: BackupFiles): Promise<void> {
    const { lastGood } = await readBackupState(this.#dependencies.dataDirectory)
    if (lastGood !== null) await this.#remember(await this.#copy(files, lastGood))
  }

  async #makeLocked(files: BackupFiles, at: number) {
    const { withLockOrNot } = await import('@hearth/database')
    const { source, dataDirectory, timers } = this.#dependencies
    using time = this.#timeLimit(timers)
    const reader = await source.openReader()
    try {
      return await withLockOrNot(reader, backupLock, () =>
        makeBackup(source, { files, scratch: join(dataDirectory, 'backup-scratch') }, { at, signal: time.signal }),
      )
    } finally {
      await reader.close()
    }
  }

  #timeLimit(timers: Timers): Disposable & { readonly signal: AbortSignal } {
    const tooLong = new AbortController()
    const cancel = timers.after(limitMs, () => tooLong.abort(new OperatorError('the backup took longer than an hour')))
    return { signal: AbortSignal.any([tooLong.signal, this.#closing.signal]), [Symbol.dispose]: cancel }
  }

  async #remember(attempt: BackupAttempt): Promise<void> {
    const { dataDirectory, log } = this.#dependencies
    try {
      const before = await readBackupState(dataDirectory)
      const lastGood = attempt.file === null ? before.lastGood : { ...attempt, error: null }
      await writeBackupState(dataDirectory, { lastAttempt: attempt, lastGood })
    } catch (error) {
      log.warn(`the outcome of the backup cannot be kept: ${(error as Error).message}`)
    }
  }

  /** Removes the backups that are no longer wanted. */
  async #expire(files: BackupFiles): Promise<void> {
    const { policy, timers, log } = this.#dependencies
    try {
      const verified = await files.verified()
      const times = verified.map(({ at }) => at)
      const expired = new Set(expiredBackups(times, policy.keep, timers.now()))
      for (const { path, at } of verified) if (expired.has(at)) await rm(path, { force: true })
    } catch (error) {
      log.warn(`old backups cannot be removed: ${(error as Error).message}`)
    }
  }
}
