import { setTimeout as pause } from 'node:timers/promises'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { SiteRecord } from '../../sites/schema.ts'
import { wantedOfRow } from '../../sites/site-change.ts'
import { allSiteRows } from '../../sites/store.ts'
import type { SiteTables } from '../../sites/tables.ts'
import { dialOf } from '../../sites/upstream-url.ts'
import type { UpstreamState } from '../schema.ts'
import { probeUpstream, type UpstreamProbe } from './probe-upstream.ts'

/** An upstream as Caddy's admin endpoint counts it. */
interface UpstreamCount {
  readonly address: string
  readonly num_requests: number
  readonly fails: number
}

export interface UpstreamStatesDependencies {
  readonly declared: () => Promise<readonly DeclaredUpstream[]>
  /** Returns Caddy's own counts; may reject. */
  readonly counted: () => Promise<readonly UpstreamCount[]>
  readonly timers: Timers
  readonly log: Log
  /** Called with the states of each check. */
  readonly onChecked?: (states: readonly UpstreamState[]) => Promise<void>
}

const goodFor = 15_000
const everyMs = 30_000
const timeoutMs = 2000
const maxWaitMs = 1000
const concurrency = 16
/** Wait of each of them between two connections of a regular check, milliseconds: a hundred connections a second in total. */
const paceMs = 160
/** Maximum number of checked upstreams; the rest have no state. */
const maxUpstreams = 2000

/**
 * The states of all upstreams of the sites. Queries Caddy and opens an empty connection to every declared upstream; nothing
 * else is ever connected to.
 */
export class UpstreamStates {
  readonly #dependencies: UpstreamStatesDependencies
  #known: { readonly states: UpstreamState[]; readonly at: number; readonly edition: number } | undefined
  #checking: Promise<void> | undefined
  /** The regular check, which takes its time. */
  #pacing: Promise<void> | undefined
  /** Counts the changes of the sites: a check that began before the last one is out of date. */
  #edition = 0
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: UpstreamStatesDependencies) {
    this.#dependencies = dependencies
  }

  /** States that are at most fifteen seconds old and know the newest sites. */
  async list(): Promise<UpstreamState[]> {
    const { timers } = this.#dependencies
    const isRecent = this.#known !== undefined && timers.monotonic() - this.#known.at < goodFor
    if (!isRecent || this.#isOutdated) await this.#checkAll()
    return this.#known?.states ?? []
  }

  /**
   * Counts of the last check. Waits a second at most for the first check, and for one after sites have changed; then answers
   * what is known, or undefined.
   */
  async counts(): Promise<{ up: number; down: number } | undefined> {
    if (this.#isOutdated)
      await Promise.race([this.#checkAll().catch(() => undefined), pause(maxWaitMs, { ref: false })])
    if (this.#known === undefined) return undefined
    const { states } = this.#known
    return { up: states.filter(({ up }) => up === true).length, down: states.filter(({ up }) => up === false).length }
  }

  /** Sites have changed: what is known is checked again. */
  outdate(): void {
    this.#edition += 1
  }

  /** Checks now, and every half minute: many upstreams one after another, and no crowd of connections. */
  start(): void {
    const { log, timers } = this.#dependencies
    void (this.#isOutdated ? this.#checkAll() : this.#checkSlowly())
      .then(() => this.#dependencies.onChecked?.(this.#known?.states ?? []))
      .catch((error: unknown) => log.warn({ err: error }, 'the upstreams could not be checked'))
      .finally(() => {
        if (!this.#isClosed) this.#cancel = timers.after(everyMs, () => this.start())
      })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await Promise.allSettled([this.#checking, this.#pacing])
  }

  get #isOutdated(): boolean {
    return this.#known?.edition !== this.#edition
  }

  async #checkAll(): Promise<void> {
    await this.#join()
    // The check that was joined may have begun before the sites changed.
    if (this.#isOutdated && !this.#isClosed) await this.#join()
  }

  #join(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  #checkSlowly(): Promise<void> {
    this.#pacing ??= this.#check(paceMs).finally(() => (this.#pacing = undefined))
    return this.#pacing
  }

  /** @param pauseMs wait of each of the parallel connections before its next one */
  async #check(pauseMs = 0): Promise<void> {
    const { declared, counted, timers } = this.#dependencies
    const edition = this.#edition
    const upstreams = (await declared()).slice(0, maxUpstreams)
    const counts = await counted().catch(() => [])
    const byAddress = new Map(counts.map((count) => [count.address, count]))
    const states: UpstreamState[] = []
    const queue = upstreams.values()
    const drain = async () => {
      let isFirst = true
      for (const upstream of queue) {
        if (!isFirst && pauseMs > 0) await timers.delay(pauseMs)
        isFirst = false
        if (this.#isClosed) return
        const probe = await probeUpstream(upstream.address, timeoutMs)
        states.push(stateOf(upstream, { probe, count: byAddress.get(upstream.address), now: timers.now() }))
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, upstreams.length) }, drain))
    // A check that somebody waited for may have ended meanwhile, and know newer sites.
    if (this.#known === undefined || edition >= this.#known.edition)
      this.#known = { states: states.toSorted(byName), at: timers.monotonic(), edition }
  }
}

const byName = (one: UpstreamState, other: UpstreamState): number => (one.address < other.address ? -1 : 1)

function stateOf(
  { address, siteIds }: DeclaredUpstream,
  { probe, count, now }: { probe: UpstreamProbe; count: UpstreamCount | undefined; now: number },
): UpstreamState {
  return {
    address,
    site_ids: [...siteIds],
    // Addresses that must not be connected to are not checked.
    up: probe.kind === 'refused' ? null : probe.kind === 'up',
    reason: probe.kind === 'down' ? probe.reason : null,
    fails: count?.fails ?? null,
    num_requests: count?.num_requests ?? null,
    latency_ms: probe.kind === 'up' ? probe.latencyMs : null,
    checked_at: new Date(now).toISOString(),
  }
}

/** A server that sites are proxied to, as the sites declare it. */
interface DeclaredUpstream {
  /** As Caddy dials it: `HOST:PORT` or `unix/PATH`. */
  readonly address: string
  readonly siteIds: readonly number[]
}

/** Returns the upstreams of all enabled sites and their paths, each once. */
export async function declaredUpstreams(db: Kysely<SiteTables>): Promise<DeclaredUpstream[]> {
  const rows = (await allSiteRows(db)).filter((row) => row.enabled === 1)
  const pairs = rows.flatMap((row) => addressesOf(wantedOfRow(row).record).map((address) => ({ address, id: row.id })))
  return [...Map.groupBy(pairs, ({ address }) => address)].map(([address, users]) => ({
    address,
    siteIds: [...new Set(users.map(({ id }) => id))],
  }))
}

/** Returns the addresses of the upstreams of a site and its paths, as Caddy dials them. */
export const addressesOf = (record: SiteRecord): string[] => [
  ...(record.kind === 'proxy' ? record.upstreams.map(({ url }) => dialOf(url)) : []),
  ...record.paths.flatMap(({ upstreams }) => upstreams.map(({ url }) => dialOf(url))),
]
