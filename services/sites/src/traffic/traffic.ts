import { toIsoString, type Log, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { TrafficTables } from './tables.ts'
import { parseLogLine } from './access-log/log-line.ts'
import { LogTail } from './access-log/log-tail.ts'
import { keptFor, PendingCounts } from './counts/pending-counts.ts'
import { createRequestRate } from './counts/request-rate.ts'
import { everySite, noSite } from './counts/traffic-count.ts'
import * as store from './store.ts'
import type { LastSeen, SiteTraffic, TrafficOverview, TrafficRange, TrafficSpan } from './schema.ts'
import { createTopLists } from './top-lists.ts'
import { reportOf, rowsOfRange } from './traffic-report.ts'

export interface TrafficDependencies {
  readonly db: Kysely<TrafficTables>
  readonly timers: Timers
  readonly log: Log
  /** Returns the site of a host, for lines that do not name it. */
  readonly siteOf: (host: string) => number | undefined
  /** Called for every request, as it is read. */
  readonly onRequest: (line: NonNullable<ReturnType<typeof parseLogLine>>, siteId: number | undefined) => void
  readonly pollMs?: number
  /** Interval at which counts are stored, milliseconds; 5000. */
  readonly flushMs?: number
}

/** Entries that may wait to be written; then reading waits. */
const maxPending = 20_000
const busiest = 10

/** Counts requests from the access log and reports them. */
export class Traffic {
  readonly #dependencies: TrafficDependencies
  readonly #pending: PendingCounts
  readonly #rate
  readonly #lists
  #tail: LogTail | undefined
  #flushing: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isClosed = false
  #lastError = ''
  #logFile = ''

  constructor(dependencies: TrafficDependencies) {
    this.#dependencies = dependencies
    this.#pending = new PendingCounts(dependencies.timers)
    this.#rate = createRequestRate(dependencies.timers)
    this.#lists = createTopLists(dependencies.timers)
  }

  /** Follows a server's access log from where the last run stopped; does nothing without one within reach. */
  async start(logFile: string | undefined): Promise<void> {
    const { db, timers, log, pollMs } = this.#dependencies
    if (logFile === undefined) return
    this.#logFile = logFile
    this.#tail = new LogTail({
      path: logFile,
      position: await store.readPosition(db, logFile),
      timers,
      ...(pollMs === undefined ? {} : { pollMs }),
      mayRead: () => this.#pending.size < maxPending,
      onLines: (lines, position) => {
        for (const line of lines) this.#count(line)
        this.#pending.moveTo(position)
      },
      onLoss: (what, count) => log.warn({ what, count }, 'part of the access log was not counted'),
      onError: (error) => this.#noteError(error),
    })
    this.#tail.start()
    this.#plan()
  }

  async overview(range: TrafficRange): Promise<TrafficOverview> {
    const { db, timers } = this.#dependencies
    await this.#flush()
    const ids = await store.busiestSites(db, { ...rowsOfRange(range, timers.now()), limit: busiest })
    const seen = await store.lastSeen(db)
    const sites = await Promise.all(
      ids.map(async (id) => ({
        site_id: id,
        last_seen: toIsoString(seen.get(id) ?? null),
        totals: (await this.#report(id, range)).totals,
      })),
    )
    const { totals: elsewhere } = await this.#report(noSite, range)
    const all = await this.#report(everySite, range)
    return { ...all, requests_per_second: this.#rate.perSecond(), sites, elsewhere }
  }

  async site(siteId: number, range: TrafficRange): Promise<SiteTraffic> {
    await this.#flush()
    const { since, paths, clients } = this.#lists.of(siteId)
    const seen = await store.lastSeen(this.#dependencies.db)
    return {
      site_id: siteId,
      ...(await this.#report(siteId, range)),
      last_seen: toIsoString(seen.get(siteId) ?? null),
      top_paths: paths,
      top_clients: clients,
      listed_since: new Date(since).toISOString(),
    }
  }

  /** Time of the last request to each site. */
  async lastSeen(): Promise<LastSeen> {
    await this.#flush()
    const seen = await store.lastSeen(this.#dependencies.db)
    seen.delete(noSite)
    return { sites: [...seen].map(([site_id, at]) => ({ site_id, last_seen: new Date(at).toISOString() })) }
  }

  /** Reads what is in the log by now and writes it down. */
  async catchUp(): Promise<void> {
    await this.#tail?.poll()
    await this.#flush()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#tail?.close()
    await this.#flush()
  }

  #count(text: string): void {
    const line = parseLogLine(text)
    if (line === undefined || line.isProbe) return
    const { siteOf, onRequest } = this.#dependencies
    const siteId = line.siteId ?? siteOf(line.host)
    this.#pending.add(siteId ?? noSite, line)
    this.#rate.add(line.at)
    if (siteId !== undefined) this.#lists.add(siteId, line)
    onRequest(line, siteId)
  }

  async #report(siteId: number, range: TrafficRange): Promise<TrafficSpan> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    return reportOf(await store.countsOf(db, { siteId, ...rowsOfRange(range, now) }), range, now)
  }

  /** One at a time. */
  #flush(): Promise<void> {
    const last = this.#flushing
    this.#flushing = (async () => {
      await last
      await this.#writeDown()
    })()
    return this.#flushing
  }

  /** Counts and position go into the database together, so a crash at any moment counts nothing twice and loses nothing. */
  async #writeDown(): Promise<void> {
    const { db, log } = this.#dependencies
    const batch = this.#pending.take()
    if (batch === undefined) return
    try {
      await store.writeBatch(db, this.#logFile, batch)
    } catch (error) {
      this.#pending.giveBack(batch)
      log.warn({ err: error }, 'traffic could not be written down; it is tried again')
    }
  }

  #plan(): void {
    const { timers, flushMs = 5000, log } = this.#dependencies
    this.#cancel = timers.after(flushMs, () => {
      const round = this.#flush().then(() => this.#forgetOld())
      void round
        .catch((error: unknown) => log.warn({ err: error }, 'old traffic could not be removed'))
        .finally(() => {
          if (!this.#isClosed) this.#plan()
        })
    })
  }

  /** Once for each reason: the log is read several times a second. */
  #noteError(error: unknown): void {
    const text = String(error)
    if (text !== this.#lastError) this.#dependencies.log.warn({ err: error }, 'the access log cannot be read')
    this.#lastError = text
  }

  async #forgetOld(): Promise<void> {
    const { db, timers } = this.#dependencies
    for (const [span, kept] of keptFor) await store.deleteCountsBefore(db, span, timers.now() - kept)
  }
}
