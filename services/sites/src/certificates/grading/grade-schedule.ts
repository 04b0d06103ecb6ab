import { createHash } from 'node:crypto'
import type { Log, Timers } from '@hearth/runtime'
import { GradeFailed } from '../grader/grader.ts'
import type { GradeHistory } from '../history/history.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { SiteHost, SiteHosts } from '../site-host.ts'
import { type Scans, ScanTooSoon } from '../ssl-labs/scans.ts'
import { type Grading, UnknownHost } from './grading.ts'

export interface GradeScheduleDependencies {
  readonly hosts: SiteHosts
  /** Kept up to date, so that changes are published without a request. */
  readonly inventory: Pick<Inventory, 'list'>
  readonly grading: Grading
  readonly scans: Pick<Scans, 'list' | 'request'>
  readonly history: GradeHistory
  readonly timers: Timers
  readonly log: Log
  /** Returns how often hosts are graded here. */
  readonly rhythm: () => 'off' | 'daily' | 'weekly'
  /** Returns true if SSL Labs may be used at all; sites choose which hosts. */
  readonly isSslLabsOn: () => boolean
}

const every = 60_000
/** After a grade that failed, milliseconds. */
const retryAfter = 3_600_000
/** Local grades of one round. */
const together = 20

/** Grades hosts when it is time. */
export class GradeSchedule {
  readonly #dependencies: GradeScheduleDependencies
  readonly #failedAt = new Map<string, number>()
  #running: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: GradeScheduleDependencies) {
    this.#dependencies = dependencies
  }

  start(): void {
    this.#cancel = this.#dependencies.timers.after(every, () => {
      this.#running = this.run()
        .catch((error: unknown) => this.#dependencies.log.warn({ err: error }, 'hosts could not be graded'))
        .finally(() => {
          if (!this.#isClosed) this.start()
        })
    })
  }

  /** One round: whatever is due now. */
  async run(): Promise<void> {
    const { hosts, inventory, history, isSslLabsOn } = this.#dependencies
    await history.tidy()
    await inventory.list()
    const all = (await hosts.list()).filter(({ tlsMode }) => tlsMode !== 'off')
    const latest = await history.latest()
    const lastOf = (source: string) =>
      new Map(latest.filter((grade) => grade.source === source).map((grade) => [grade.host, grade.checked_at]))
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
    const chosen = this.#dependencies.rhythm()
    if (chosen === 'off') return
    const now = this.#dependencies.timers.now()
    const due = all.filter(({ host }) => dueAt(host, last.get(host), rhythms[chosen]) <= now && this.#mayTry(host))
    for (const { host } of due.slice(0, together)) await this.#grade(host)
  }

  #mayTry(host: string): boolean {
    const failedAt = this.#failedAt.get(host)
    return failedAt === undefined || this.#dependencies.timers.now() - failedAt >= retryAfter
  }

  async #grade(host: string): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#dependencies.grading.grade(host)
      this.#failedAt.delete(host)
    } catch (error) {
      if (!(error instanceof GradeFailed || error instanceof UnknownHost)) throw error
      this.#failedAt.set(host, this.#dependencies.timers.now())
    }
  }

  async #scan(hosts: readonly SiteHost[], last: ReadonlyMap<string, number>): Promise<void> {
    const { scans, timers } = this.#dependencies
    const requested = new Map((await scans.list()).map((scan) => [scan.host, scan.requested_at]))
    for (const { host, siteId } of hosts) {
      // A scan that failed counts as well: it is not begun again the next minute.
      const lastAt = Math.max(last.get(host) ?? 0, requested.get(host) ?? 0)
      if (dueAt(host, lastAt === 0 ? undefined : lastAt, rhythms.weekly) > timers.now()) continue
      await scans.request({ host, siteId, isFresh: true }).catch((error: unknown) => {
        if (!(error instanceof ScanTooSoon)) throw error
      })
    }
  }
}

/** Interval of a task and the spread of its times, milliseconds. */
interface Rhythm {
  readonly every: number
  readonly jitter: number
}

/** Local grades cost nothing; SSL Labs is used seldom, and not by every installation at the same hour. */
export const rhythms = {
  daily: { every: 86_400_000, jitter: 2 * 3_600_000 },
  weekly: { every: 7 * 86_400_000, jitter: 86_400_000 },
} as const satisfies Record<string, Rhythm>

/** Returns when a host is due again. The spread is the host's own, so that it keeps its place from week to week. */
export function dueAt(host: string, lastAt: number | undefined, { every, jitter }: Rhythm): number {
  if (lastAt === undefined) return 0
  const share = createHash('sha256').update(host).digest().readUInt32BE() / 2 ** 32
  return lastAt + every + Math.floor(share * jitter)
}
