import { toIsoString, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { notFound } from '../problems.ts'
import { barOf, dayViews, pointViews, sharesOf, shownDays } from './day-views.ts'
import { dayMs, dayOf } from './pending-results.ts'
import { kept } from './result-writer.ts'
import type { CheckOutcome } from './probe/check-site.ts'
import type { SiteRounds } from './probe/site-rounds.ts'
import type {
  CheckedName,
  CheckFailure,
  CheckResult,
  Incident,
  RecentCheck,
  SiteUptime,
  SiteUptimeDetail,
  UpstreamUptime,
  UptimeOverview,
  UptimeQuery,
  UptimeState,
} from './schema.ts'
import { offReason, siteSubject, upstreamSubject, type SiteToWatch } from './site-targets.ts'
import type { Recent } from './subjects.ts'
import { daysOf, incidentsOf, pointsOf } from './store.ts'
import type { DayRow, IncidentRow, UptimeTables } from './tables.ts'
import type { Uptime } from './uptime.ts'

/** Days of the bar in lists. */
const barDays = 30
/** Incidents that a page shows. */
const shownIncidents = 50

/** What pages show of the checks. */
export type UptimeViews = ReturnType<typeof createUptimeViews>

/** Parts that the views read. */
interface ViewContext {
  readonly db: Kysely<UptimeTables>
  readonly clock: Clock
  readonly uptime: Uptime
}

/** Creates the views. */
export function createUptimeViews(context: ViewContext) {
  const { uptime } = context
  const siteOf = async (id: number): Promise<SiteToWatch> => {
    const site = await uptime.find(id)
    if (site === undefined) throw notFound('site')
    return site
  }
  return {
    /** Returns the sites that match, those that are down first. */
    overview: (query: UptimeQuery) => readOverview(context, query),
    /** Returns everything about the checks of one site. */
    site: async (id: number) => readSite(context, await siteOf(id)),
    /** Checks a site at once and says what came back. */
    async checkNow(id: number): Promise<CheckResult> {
      const site = await siteOf(id)
      return checkResult(await uptime.checkNow(site), uptime.askedOf(site), uptime.probesOf(site).further.length)
    },
  }
}

const notServed = {
  is_good: false,
  came_back: 'No Caddy server serves the site.',
  advice: 'Switch the site on, or see its state for why no server took it.',
}

function checkResult(outcome: CheckOutcome | undefined, asked: string, further: number): CheckResult {
  if (outcome === undefined) return { ...notServed, asked, latency_ms: null }
  const { failure, cameBack, latencyMs } = outcome
  const isGood = failure === undefined
  const others = further === 1 ? 'The other name has its certificate.' : `${further} other checks are good too.`
  return {
    is_good: isGood,
    asked: failure?.asked ?? asked,
    came_back: isGood && further > 0 ? `${cameBack} ${others}` : cameBack,
    advice: failure?.advice ?? '',
    latency_ms: latencyMs ?? null,
  }
}

async function readOverview(context: ViewContext, query: UptimeQuery): Promise<UptimeOverview> {
  const { uptime, clock } = context
  const { state, search, ids, limit, offset } = query
  const states = uptime.sites.map((site) => ({ site, state: stateOf(uptime, site) }))
  const counts = { up: 0, down: 0, unknown: 0, maintenance: 0, off: 0 }
  for (const one of states) counts[one.state] += 1
  const wanted = search?.trim().toLowerCase() ?? ''
  const chosen = ids === undefined ? undefined : new Set(ids.split(',').map(Number))
  const found = states
    .filter((one) => (state === undefined || one.state === state) && (chosen?.has(one.site.id) ?? true))
    .filter(({ site }) => site.name.toLowerCase().includes(wanted))
    .sort((one, other) => order[one.state] - order[other.state] || (one.site.name < other.site.name ? -1 : 1))
  const shown = found.slice(offset, offset + limit).map(({ site }) => site)
  const days = await daysBySubject(
    context,
    shown.map(({ id }) => siteSubject(id)),
  )
  const today = dayOf(clock.now())
  const sites = shown.map((site) =>
    withDays(headOf(uptime, site), { days: days.get(siteSubject(site.id)) ?? [], today }),
  )
  return { counts, sites, total: found.length }
}

async function readSite(context: ViewContext, site: SiteToWatch): Promise<SiteUptimeDetail> {
  const { uptime, clock, db } = context
  const subject = siteSubject(site.id)
  // The state before the rows: an incident is there when the state says so.
  const head = headOf(uptime, site)
  const upstreams = uptime.upstreamsOf(site.id).map(({ address }) => address)
  const subjects = [subject, ...upstreams.map(upstreamSubject)]
  const days = await daysBySubject(context, subjects)
  const now = clock.now()
  const about = { days: days.get(subject) ?? [], today: dayOf(now) }
  const incidents = await incidentsOf(db, { subjects, since: now - shownDays * dayMs, limit: shownIncidents })
  const off = offReason(site)
  return {
    ...withDays(head, about),
    asked: off === undefined ? uptime.askedOf(site) : null,
    off_reason: off ?? null,
    days: dayViews(about.days, now),
    points: pointViews(await pointsOf(db, subject, now - kept.pointMs)),
    names: uptime.rounds.results(site.id).map(nameView),
    unchecked_names: off === undefined ? (uptime.probesOf(site).unchecked ?? null) : null,
    recent: (uptime.subjects.get(subject)?.recent ?? []).map(recentView).toReversed(),
    incidents: incidents.map(incidentView),
    upstreams: upstreams.map((address) =>
      upstreamView(uptime, address, { days: days.get(upstreamSubject(address)) ?? [], today: about.today }),
    ),
  }
}

async function daysBySubject(
  { db, clock, uptime }: ViewContext,
  subjects: readonly string[],
): Promise<Map<string, DayRow[]>> {
  await uptime.writer.flush()
  const rows = await daysOf(db, subjects, dayOf(clock.now()) - shownDays)
  return Map.groupBy(rows, ({ subject }) => subject)
}

const recentView = ({ at, isGood, latencyMs, cameBack }: Recent): RecentCheck => ({
  at: new Date(at).toISOString(),
  is_good: isGood,
  latency_ms: latencyMs ?? null,
  came_back: cameBack,
})

function nameView({ probe, result }: ReturnType<SiteRounds['results']>[number]): CheckedName {
  return {
    name: probe.name,
    server: probe.server.name,
    what: probe.target.isHandshake ? 'handshake' : 'request',
    checked_at: toIsoString(result?.checkedAt ?? null),
    latency_ms: result?.outcome.latencyMs ?? null,
    failure: result?.outcome.failure ?? null,
  }
}

const order: Readonly<Record<UptimeState, number>> = { down: 0, unknown: 1, maintenance: 2, up: 3, off: 4 }

/** Returns the state of a site as pages show it. */
export function stateOf(uptime: Uptime, site: SiteToWatch): UptimeState {
  if (offReason(site) !== undefined) return 'off'
  if (uptime.isInMaintenance(site.id)) return 'maintenance'
  return uptime.subjects.get(siteSubject(site.id))?.track.availability.state ?? 'unknown'
}

/** The days of a subject, and the number of today. */
interface Days {
  readonly days: readonly DayRow[]
  readonly today: number
}

function headOf(uptime: Uptime, site: SiteToWatch): Omit<SiteUptime, 'uptime' | 'bar'> {
  const subject = uptime.subjects.get(siteSubject(site.id))
  const state = stateOf(uptime, site)
  return {
    site_id: site.id,
    site_name: site.name,
    state,
    since: state === 'off' ? null : toIsoString(subject?.since ?? null),
    checked_at: toIsoString(subject?.checkedAt ?? null),
    latency_ms: subject?.latencyMs ?? null,
    failure: state === 'off' ? null : (subject?.failure ?? null),
  }
}

const withDays = (head: Omit<SiteUptime, 'uptime' | 'bar'>, { days, today }: Days): SiteUptime => ({
  ...head,
  uptime: sharesOf(days, today),
  bar: barOf(days, today, barDays),
})

function upstreamView(uptime: Uptime, address: string, { days, today }: Days): UpstreamUptime {
  const subject = uptime.subjects.get(upstreamSubject(address))
  return {
    address,
    state: subject?.track.isInMaintenance === true ? 'maintenance' : (subject?.track.availability.state ?? 'unknown'),
    since: toIsoString(subject?.since ?? null),
    latency_ms: subject?.latencyMs ?? null,
    failure: subject?.failure ?? null,
    uptime: sharesOf(days, today),
  }
}

function incidentView({
  id,
  subject,
  began_at: began,
  ended_at: ended,
  lasted_ms: lasted,
  failure,
}: IncidentRow): Incident {
  return {
    id,
    subject: subject.startsWith('site:') ? 'site' : subject.slice('upstream:'.length),
    began_at: new Date(began).toISOString(),
    ended_at: toIsoString(ended),
    lasted_seconds: lasted / 1000,
    failure: JSON.parse(failure) as CheckFailure,
  }
}
