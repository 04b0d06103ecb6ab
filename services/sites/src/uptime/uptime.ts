import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Publish } from '../events/schema.ts'
import type { UpstreamState } from '../traffic/schema.ts'
import { addressesOf } from '../traffic/upstreams/upstream-states.ts'
import { Checker, type Checked, type Verdict } from './checker.ts'
import type { MaintenanceWindows } from './maintenance/maintenance-windows.ts'
import { askedText, checkSite, type CheckOutcome } from './probe/check-site.ts'
import { probesOf, type SiteProbes } from './probe/site-probes.ts'
import { countFurther, SiteRounds, type RoundContext } from './probe/site-rounds.ts'
import { ResultWriter } from './result-writer.ts'
import { maxGapOf, stretchOf } from './schedule.ts'
import { siteReports, type SiteReport } from './site-reports.ts'
import { offReason, siteSubject, upstreamSubject, type SiteToWatch } from './site-targets.ts'
import { Subjects } from './subjects.ts'
import { allSubjects, openIncidents } from './store.ts'
import type { UptimeTables } from './tables.ts'
import { upstreamOutcome } from './upstream-outcome.ts'

/** All sites as they are to be checked. */
export interface WatchedSites {
  readonly sites: readonly SiteToWatch[]
  /** True when certificates come from an authority of the operator's own. */
  readonly hasOwnAuthority: boolean
}

export interface UptimeDependencies {
  readonly db: Kysely<UptimeTables>
  readonly timers: Timers
  readonly log: Log
  readonly publish: Publish
  readonly windows: MaintenanceWindows
  readonly watched: () => Promise<WatchedSites>
  /** Called every few seconds with what there is to say about all enabled sites. */
  readonly onReport: (reports: readonly SiteReport[]) => void
}

interface CheckedSite extends Checked {
  readonly site: SiteToWatch
}

/** Failed checks in a row after which an upstream is down. */
const upstreamFailures = 2
/** Interval of the checks of upstreams, and its tolerance; see `traffic/upstreams`. */
const upstreamIntervalMs = 30_000
/** Interval at which the sites are read anew even when no event says that they changed, milliseconds. */
const refreshMs = 60_000

/** Time in which changes are collected before the sites are read anew, milliseconds. */
const coalesceMs = 500

/** Interval of reports, milliseconds. */
const reportMs = 5000

/** Checks sites through Caddy and takes the states of upstreams; keeps what came of it. */
export class Uptime {
  readonly subjects: Subjects
  readonly writer: ResultWriter
  readonly rounds: SiteRounds
  readonly #dependencies: UptimeDependencies
  readonly #checker: Checker<CheckedSite>
  #watched: WatchedSites = { sites: [], hasOwnAuthority: false }
  #byId: ReadonlyMap<number, SiteToWatch> = new Map()
  #upstreamsBySite: ReadonlyMap<number, readonly UpstreamState[]> = new Map()
  #refreshing: Promise<void> | undefined
  #isStale = false
  #cancel: () => void = () => undefined
  #cancelReport: () => void = () => undefined
  #cancelRefresh: (() => void) | undefined
  #isClosed = false

  constructor(dependencies: UptimeDependencies) {
    this.#dependencies = dependencies
    const { db, timers, log } = dependencies
    this.writer = new ResultWriter({ db, timers, log })
    this.subjects = new Subjects(timers, this.writer.pending)
    this.rounds = new SiteRounds({ clock: timers, check: checkSite })
    this.#checker = new Checker({ timers, log, check: (target, signal) => this.#check(target, signal) })
  }

  /** All sites, enabled or not, as they were read last. */
  get sites(): readonly SiteToWatch[] {
    return this.#watched.sites
  }

  /** Returns a site, enabled or not; undefined when there is none. */
  site(id: number): SiteToWatch | undefined {
    return this.#byId.get(id)
  }

  /** Returns a site, also one that was made a moment ago; undefined when there is none. */
  async find(id: number): Promise<SiteToWatch | undefined> {
    if (!this.#byId.has(id)) await this.#refresh()
    // The first may have begun before the site was made.
    if (!this.#byId.has(id)) await this.#refresh()
    return this.#byId.get(id)
  }

  /** The states of the upstreams of a site, as they were checked last. */
  upstreamsOf(siteId: number): readonly UpstreamState[] {
    return this.#upstreamsBySite.get(siteId) ?? []
  }

  /** Continues with what is stored and starts to check. */
  async start(): Promise<void> {
    const { db } = this.#dependencies
    this.subjects.open(await allSubjects(db), await openIncidents(db))
    await this.#refresh().catch((error: unknown) => this.#noteFailure(error))
    this.#checker.start()
    this.writer.start()
    this.#planRefresh()
    this.#planReport()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#cancelReport()
    this.#cancelRefresh?.()
    await this.#checker.close()
    await this.#refreshing?.catch(() => undefined)
    await this.writer.close()
  }

  /** Sites, servers or settings have changed: reads them anew in a moment, once for many changes. */
  outdate(): void {
    if (this.#isClosed) return
    this.#cancelRefresh ??= this.#dependencies.timers.after(coalesceMs, () => {
      this.#cancelRefresh = undefined
      void this.#refresh().catch((error: unknown) => this.#noteFailure(error))
    })
  }

  /** Takes the states of a check of all upstreams. */
  observeUpstreams(states: readonly UpstreamState[]): void {
    const pairs = states.flatMap((state) => state.site_ids.map((id) => [id, state] as const))
    const bySite = Map.groupBy(pairs, ([id]) => id)
    this.#upstreamsBySite = new Map(Array.from(bySite, ([id, list]) => [id, list.map(([, state]) => state)]))
    for (const state of states) {
      if (state.up === null) continue
      const isPaused = state.site_ids.every((id) => this.isInMaintenance(id))
      this.subjects.observe({
        subject: upstreamSubject(state.address),
        outcome: isPaused ? undefined : upstreamOutcome(state),
        maxGap: maxGapOf(upstreamIntervalMs, upstreamIntervalMs),
        failures: upstreamFailures,
      })
    }
  }

  /** Returns true while a window or the site's own switch says so. */
  isInMaintenance(siteId: number): boolean {
    const isSwitchedOn = this.#byId.get(siteId)?.record.maintenance_mode === true
    return isSwitchedOn || this.#dependencies.windows.isActive(siteId)
  }

  /** Returns the checks of a site, of which each round makes some. */
  probesOf(site: SiteToWatch): SiteProbes {
    return probesOf(site, this.#watched.hasOwnAuthority)
  }

  /** Describes what the check of a site requests under its first name, at the first server that runs it. */
  askedOf(site: SiteToWatch): string {
    const [probe] = this.probesOf(site).first
    return probe === undefined ? 'Nothing was requested' : askedText(probe.target, probe.server)
  }

  /** Checks all names of a site at all servers at once; the result is not counted. Undefined for a site that no server runs. */
  checkNow(site: SiteToWatch): Promise<CheckOutcome | undefined> {
    return this.rounds.checkAll(this.probesOf(site), this.#contextOf(site))
  }

  async #check({ subject, site, intervalMs }: CheckedSite, signal: AbortSignal): Promise<Verdict> {
    const settings = site.record.check
    const isPaused = this.isInMaintenance(site.id)
    const before = this.#stateOf(subject)
    const context = { ...this.#contextOf(site), signal }
    const outcome = isPaused ? undefined : await this.rounds.check(site.id, before === 'down', context)
    if (signal.aborted || (outcome === undefined && !isPaused)) return { failed: 0, isUnsettled: false }
    this.subjects.observe({
      subject,
      outcome,
      maxGap: maxGapOf(intervalMs, settings.timeout_seconds * 1000),
      failures: settings.failures,
    })
    const after = this.#stateOf(subject)
    if (after !== before) {
      const action = after === 'unknown' ? 'maintenance' : after
      this.#dependencies.publish({ type: 'uptime', action, id: String(site.id) })
      this.writer.hurry()
    }
    const known = this.subjects.get(subject)
    return { failed: known?.failed ?? 0, isUnsettled: (known?.track.availability.against ?? 0) > 0 }
  }

  #stateOf(subject: string): 'unknown' | 'up' | 'down' {
    return this.subjects.get(subject)?.track.availability.state ?? 'unknown'
  }

  #contextOf({ id }: SiteToWatch): RoundContext {
    const upstreams = this.upstreamsOf(id)
    const down = upstreams.filter(({ up }) => up === false)
    const upstreamNote = down.map(({ address, reason }) => `Upstream ${address}: ${reason ?? 'down'}.`).join(' ')
    const areUpstreamsDown = down.length > 0 && down.length === upstreams.length
    return { now: this.#dependencies.timers.now(), upstreamNote, areUpstreamsDown }
  }

  /** Reads the sites anew, once at a time and once more when something changed meanwhile. */
  #refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#isStale = true
      return this.#refreshing
    }
    this.#refreshing = this.#readSites().finally(() => {
      this.#refreshing = undefined
      if (this.#isStale && !this.#isClosed) {
        this.#isStale = false
        this.outdate()
      }
    })
    return this.#refreshing
  }

  async #readSites(): Promise<void> {
    await this.#dependencies.windows.read()
    this.#watched = await this.#dependencies.watched()
    const { sites } = this.#watched
    this.#byId = new Map(sites.map((site) => [site.id, site]))
    const checked = sites.filter((site) => offReason(site) === undefined)
    const probes = new Map(checked.map((site) => [site.id, this.probesOf(site)]))
    this.rounds.setSites(probes)
    const intervalOf = ({ record }: SiteToWatch) => record.check.interval_seconds * 1000
    const requests = checked.flatMap((site) => Array<number>(this.rounds.requestsOf(site.id)).fill(intervalOf(site)))
    const stretch = stretchOf(requests, countFurther(probes.values()))
    this.#checker.setTargets(
      checked.map((site) => ({ subject: siteSubject(site.id), intervalMs: intervalOf(site) * stretch, site })),
    )
    await this.#forgetOthers(checked)
  }

  /** Ends what is said of subjects that are not checked any more; of sites that were deleted nothing stays. */
  async #forgetOthers(checked: readonly SiteToWatch[]): Promise<void> {
    const enabled = this.sites.filter(({ record }) => record.enabled)
    const upstreams = enabled.flatMap(({ record }) => addressesOf(record).map(upstreamSubject))
    const running = new Set([...checked.map(({ id }) => siteSubject(id)), ...upstreams])
    const stopped = this.subjects.names().filter((name) => !running.has(name))
    for (const name of stopped) this.subjects.pause(name)
    const known = new Set(this.sites.map(({ id }) => siteSubject(id)))
    const gone = stopped.filter((name) => name.startsWith('site:') && !known.has(name))
    await this.writer.forget(gone)
    for (const name of gone) this.subjects.delete(name)
  }

  #planRefresh(): void {
    this.#cancel = this.#dependencies.timers.after(refreshMs, () => {
      this.outdate()
      if (!this.#isClosed) this.#planRefresh()
    })
  }

  #planReport(): void {
    const { timers, onReport } = this.#dependencies
    this.#cancelReport = timers.after(reportMs, () => {
      onReport(siteReports(this, timers.now()))
      if (!this.#isClosed) this.#planReport()
    })
  }

  #noteFailure(error: unknown): void {
    this.#dependencies.log.warn({ err: error }, 'the sites to check could not be read')
  }
}
