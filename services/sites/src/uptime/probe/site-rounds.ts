import type { Clock } from '@hearth/runtime'
import { furtherInterval, jitterOf } from '../schedule.ts'
import type { CheckContext, CheckOutcome, SiteTarget } from './check-site.ts'
import type { Probe, SiteProbes } from './site-probes.ts'

/** Context of a round: the same for all servers. */
export type RoundContext = Omit<CheckContext, 'endpoint'>

export interface SiteRoundsDependencies {
  readonly clock: Clock
  readonly check: (target: SiteTarget, context: CheckContext) => Promise<CheckOutcome>
}

/** What is known of one check of a site. */
export interface ProbeResult {
  readonly probe: Probe
  /** Wall time of the last check. */
  readonly checkedAt: number
  readonly outcome: CheckOutcome
}

interface Site {
  probes: SiteProbes
  readonly results: Map<string, ProbeResult>
  /** Times at which further names are due, by the monotonic clock. */
  readonly dueAt: Map<string, number>
  /** Names of which any may be why the site is down since before the start; undefined before the first round. */
  suspects: Set<string> | undefined
}

/** Checks of further names that run at a time when somebody waits for all. */
const together = 5

/** Most further names that are due and checked in a round, unless rounds are rare. */
const maxPerRound = 5

/** The checks of each site in rounds: the first name in every one, the others in turn, and one that failed until it is good again. */
export class SiteRounds {
  readonly #dependencies: SiteRoundsDependencies
  readonly #sites = new Map<number, Site>()
  #everyMs = furtherInterval(0)
  #isFilled = false

  constructor(dependencies: SiteRoundsDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes the sites that are checked. A name that is new gets time for its certificate; after a start names are spread. */
  setSites(all: ReadonlyMap<number, SiteProbes>): void {
    const now = this.#dependencies.clock.monotonic()
    this.#everyMs = furtherInterval(countFurther(all.values()))
    const wait = (key: string) => (this.#isFilled ? this.#everyMs : this.#everyMs * jitterOf(key))
    for (const id of this.#sites.keys()) if (!all.has(id)) this.#sites.delete(id)
    for (const [id, probes] of all) {
      // A round may run meanwhile, and its results count.
      const site = this.#sites.get(id) ?? { probes, results: new Map(), dueAt: new Map(), suspects: undefined }
      site.probes = probes
      const keys = new Set([...probes.first, ...probes.further].map(({ key }) => key))
      for (const map of [site.results, site.dueAt]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
      for (const { key } of probes.further) if (!site.dueAt.has(key)) site.dueAt.set(key, now + wait(`${id} ${key}`))
      this.#sites.set(id, site)
    }
    this.#isFilled ||= all.size > 0
  }

  /** Returns what is known of all checks of a site; those that were not made yet have no result. */
  results(id: number): readonly { readonly probe: Probe; readonly result: ProbeResult | undefined }[] {
    const site = this.#sites.get(id)
    if (site === undefined) return []
    const { first, further } = site.probes
    return [...first, ...further].map((probe) => ({ probe, result: site.results.get(probe.key) }))
  }

  /** Returns the requests of a round of a site: one at each server, and one more while another name fails. */
  requestsOf(id: number): number {
    const site = this.#sites.get(id)
    if (site === undefined) return 0
    return site.probes.first.length + Number(site.probes.further.some((probe) => hasFailed(site, probe)))
  }

  /**
   * Checks a site and returns the worst result; undefined when there is none yet. `isDown` says that the site is down: after a start
   * that may be because of any of its names, so it is not up before all are checked.
   */
  async check(id: number, isDown: boolean, context: RoundContext): Promise<CheckOutcome | undefined> {
    const site = this.#sites.get(id)
    if (site === undefined) return undefined
    const { clock } = this.#dependencies
    const begun = clock.monotonic()
    site.suspects ??= new Set(isDown ? site.probes.further.map(({ key }) => key) : [])
    const outcomes = await Promise.all(site.probes.first.map((probe) => this.#probe(site, probe, context)))
    const failed = outcomes.find(({ failure }) => failure !== undefined)
    if (failed !== undefined || outcomes[0] === undefined) return failed
    const budgetMs = (site.probes.first[0]?.target.settings.timeout_seconds ?? 0) * 1000
    for (const probe of this.#due(site)) {
      // Many slow names are not made up for in one round.
      if (context.signal?.aborted === true || clock.monotonic() - begun > budgetMs) break
      site.dueAt.set(probe.key, clock.monotonic() + this.#everyMs)
      const outcome = await this.#probe(site, probe, context)
      if (outcome.failure !== undefined) return outcome
    }
    const still = site.probes.further.find((probe) => hasFailed(site, probe))
    if (still !== undefined) return site.results.get(still.key)?.outcome
    return site.probes.further.some(({ key }) => site.suspects?.has(key)) ? undefined : outcomes[0]
  }

  /** Checks everything of a site at once. What comes of it is not remembered. */
  async checkAll({ first, further }: SiteProbes, context: RoundContext): Promise<CheckOutcome | undefined> {
    const { check } = this.#dependencies
    const run = ({ target, server }: Probe) => check(target, { ...context, endpoint: server.endpoint })
    const outcomes = await Promise.all(first.map(run))
    for (let at = 0; at < further.length && outcomes.every(isGood); at += together)
      outcomes.push(...(await Promise.all(further.slice(at, at + together).map(run))))
    return outcomes.find((outcome) => !isGood(outcome)) ?? outcomes[0]
  }

  /** The further names to check now: those that failed, and those whose time has come. */
  #due(site: Site): Probe[] {
    const { further } = site.probes
    const now = this.#dependencies.clock.monotonic()
    const isUrgent = (probe: Probe) => hasFailed(site, probe) || site.suspects?.has(probe.key) === true
    const due = further.filter((probe) => !isUrgent(probe) && (site.dueAt.get(probe.key) ?? 0) <= now)
    const intervalMs = (further[0]?.target.settings.interval_seconds ?? 0) * 1000
    return [...further.filter(isUrgent), ...(intervalMs < this.#everyMs ? due.slice(0, maxPerRound) : due)]
  }

  async #probe(site: Site, probe: Probe, context: RoundContext): Promise<CheckOutcome> {
    const { clock, check } = this.#dependencies
    const outcome = await check(probe.target, { ...context, endpoint: probe.server.endpoint })
    if (context.signal?.aborted === true) return outcome
    site.results.set(probe.key, { probe, checkedAt: clock.now(), outcome })
    site.suspects?.delete(probe.key)
    return outcome
  }
}

/** Counts the checks of further names. */
export function countFurther(all: Iterable<SiteProbes>): number {
  let count = 0
  for (const { further } of all) count += further.length
  return count
}

const isGood = ({ failure }: CheckOutcome): boolean => failure === undefined

const hasFailed = ({ results }: Site, { key }: Probe): boolean => results.get(key)?.outcome.failure !== undefined
