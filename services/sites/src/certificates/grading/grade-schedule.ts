import type { Log, Timers } from '@hearth/runtime'
import { GradeFailed } from '../grader/grader.ts'
import type { GradeHistory } from '../history/history.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { SiteHost, SiteHosts } from '../site-host.ts'
import { ScanTooSoon, type Scans } from '../ssl-labs/scans.ts'
import { dueAt, rhythms } from './grade-due.ts'
import { UnknownHost, type Grading } from './grading.ts'

export interface GradeScheduleParts {
  readonly hosts: SiteHosts
  /** Kept fresh, so that what changes is told without anybody asking. */
  readonly inventory: Pick<Inventory, 'list'>
  readonly grading: Grading
  readonly scans: Pick<Scans, 'list' | 'request'>
  readonly history: GradeHistory
  readonly timers: Timers
  readonly log: Log
  /** Returns how often hosts are graded here. */
  readonly rhythm: () => 'off' | 'daily' | 'weekly'
  /** Returns true if SSL Labs may be asked at all; which hosts is the sites' choice. */
  readonly isSslLabsOn: () => boolean
}

const every = 60_000
/** After a grade that failed, milliseconds. */
const retryAfter = 3_600_000
/** Local grades of one round. */
const together = 20

/** Grades hosts when it is time. */
export class GradeSchedule {
  readonly #parts: GradeScheduleParts
  readonly #failedAt = new Map<string, number>()
  #running: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(parts: GradeScheduleParts) {
    this.#parts = parts
  }

  start(): void {
    this.#cancel = this.#parts.timers.after(every, () => {
      this.#running = this.run()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'hosts could not be graded'))
        .finally(() => {
          if (!this.#isClosed) this.start()
        })
    })
  }

  /** One round: whatever is due now. */
  async run(): Promise<void> {
    const { hosts, inventory, history, isSslLabsOn } = this.#parts
    await history.tidy()
    await inventory.list()
    const all = (await hosts.list()).filter(({ tlsMode }) => tlsMode !== 'off')
    const latest = await history.latest()
    const lastOf = (source: string) =>
      new Map(latest.filter((grade) => grade.source === source).map(({ host, checkedAt }) => [host, checkedAt]))
    await this.#gradeDue(all, lastOf('local'))
    if (isSslLabsOn())
      await this.#scan(
        all.filter(({ mayBeScanned }) => mayBeScanned),
        lastOf('ssllabs'),
      )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#running
  }

  async #gradeDue(all: readonly SiteHost[], last: ReadonlyMap<string, number>): Promise<void> {
    const names = new Set(all.map(({ host }) => host))
    for (const host of this.#failedAt.keys()) if (!names.has(host)) this.#failedAt.delete(host)
    const chosen = this.#parts.rhythm()
    if (chosen === 'off') return
    const now = this.#parts.timers.now()
    const due = all.filter(({ host }) => dueAt(host, last.get(host), rhythms[chosen]) <= now && this.#mayTry(host))
    for (const { host } of due.slice(0, together)) await this.#grade(host)
  }

  #mayTry(host: string): boolean {
    const failedAt = this.#failedAt.get(host)
    return failedAt === undefined || this.#parts.timers.now() - failedAt >= retryAfter
  }

  async #grade(host: string): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#parts.grading.grade(host)
      this.#failedAt.delete(host)
    } catch (error) {
      if (!(error instanceof GradeFailed || error instanceof UnknownHost)) throw error
      this.#failedAt.set(host, this.#parts.timers.now())
    }
  }

  async #scan(hosts: readonly SiteHost[], last: ReadonlyMap<string, number>): Promise<void> {
    const { scans, timers } = this.#parts
    const asked = new Map((await scans.list()).map(({ host, requestedAt }) => [host, requestedAt]))
    for (const { host, siteId } of hosts) {
      // A scan that failed counts as well: it is not begun again the next minute.
      const lastAt = Math.max(last.get(host) ?? 0, asked.get(host) ?? 0)
      if (dueAt(host, lastAt === 0 ? undefined : lastAt, rhythms.weekly) > timers.now()) continue
      await scans.request({ host, siteId, isFresh: true }).catch((error: unknown) => {
        if (!(error instanceof ScanTooSoon)) throw error
      })
    }
  }
}
