import type { OpenGuarded } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { DatabaseKind, Databases } from './databases.ts'
import { clearDownloads, downloadDatabase, readDownloadRecord, sourceOf } from './download.ts'
import { outboundMessage } from '../problems.ts'

/** Interval between checks for due updates, milliseconds. */
const tick = 10_000
const week = 7 * 86_400_000
/** After a failure it is tried again after an hour. */
const retry = 3_600_000

export interface UpdateDependencies {
  readonly databases: Databases
  readonly folder: string
  readonly open: OpenGuarded
  readonly clock: Clock
  readonly log: Log
  /** The addresses, as the settings are now; empty for none. */
  readonly url: (kind: DatabaseKind) => string
  readonly intervalMs?: number
}

/**
 * Downloads the configured databases every week.
 * Starts at once, and goes on until closed, which ends a running download.
 */
export class DatabaseUpdates {
  readonly #dependencies: UpdateDependencies
  readonly #ending = new AbortController()
  readonly #failures = new Map<DatabaseKind, { url: string; at: number; problem: string }>()
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(dependencies: UpdateDependencies) {
    this.#dependencies = dependencies
    this.#run(() => clearDownloads(dependencies.folder))
    this.#timer = setInterval(() => this.#run(() => this.#updateAll()), dependencies.intervalMs ?? tick)
    this.#timer.unref()
  }

  /** Returns the reason why the last attempt failed; null when it did not. */
  problem(kind: DatabaseKind): string | null {
    return this.#failures.get(kind)?.problem ?? null
  }

  /** An address is another one: it is fetched from at once. */
  changed(): void {
    const before = this.#running
    if (before === undefined) this.#run(() => this.#updateAll())
    else void before.then(() => this.#run(() => this.#updateAll()))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#ending.abort(new Error('the service ends'))
    await this.#running
  }

  #run(work: () => Promise<void>): void {
    this.#running ??= work()
      .catch((error: unknown) =>
        this.#dependencies.log.error({ err: error }, 'updating the databases of places failed'),
      )
      .finally(() => (this.#running = undefined))
  }

  async #updateAll(): Promise<void> {
    for (const kind of ['country', 'asn'] as const) await this.#update(kind)
  }

  async #update(kind: DatabaseKind): Promise<void> {
    const { clock, databases, folder, log, open } = this.#dependencies
    const url = this.#dependencies.url(kind)
    if (url === '') this.#failures.delete(kind)
    if (url === '' || !(await this.#isDue(kind, url))) return
    const isThere = databases.has(kind)
    try {
      await downloadDatabase({ kind, url, folder, open, now: clock.now(), signal: this.#ending.signal, isThere })
      this.#failures.delete(kind)
      await databases.reload()
    } catch (error) {
      if (this.#ending.signal.aborted) return
      const reason = error instanceof Error ? outboundMessage(error) : 'unknown error'
      const problem = `The ${kind === 'asn' ? 'ASN' : 'country'} database could not be downloaded: ${reason}`
      this.#failures.set(kind, { url, at: clock.now(), problem })
      log.warn(problem)
    }
  }

  async #isDue(kind: DatabaseKind, url: string): Promise<boolean> {
    const { clock, databases, folder } = this.#dependencies
    const failure = this.#failures.get(kind)
    if (failure?.url === url) return Math.abs(clock.now() - failure.at) >= retry
    if (!databases.has(kind)) return true
    const record = await readDownloadRecord(folder, kind)
    return record?.source !== sourceOf(url) || Math.abs(clock.now() - record.checkedAt) >= week
  }
}
