import type { CheckFailure } from './schema.ts'
import { offReason, siteSubject, upstreamSubject, type SiteToWatch } from './site-targets.ts'
import type { Subject } from './subjects.ts'
import type { Uptime } from './uptime.ts'

/** What there is to say about an enabled site, for notifications. */
export interface SiteReport {
  readonly id: number
  readonly name: string
  /** `unknown` also in maintenance: whatever was reported stays. */
  readonly state: 'up' | 'down' | 'unknown'
  /** Why it is down; empty otherwise. */
  readonly text: string
  /** Time since which it is down, milliseconds; undefined otherwise. */
  readonly downSince: number | undefined
  /** True when a check failed and the next ones decide whether the site is down. */
  readonly isFailing: boolean
  /** True when the site went down several times within an hour. */
  readonly isFlapping: boolean
}

/** Incidents within an hour that count as flapping. */
const flaps = 3
const hourMs = 3_600_000

/** Returns the reports of all enabled sites; sites whose checks are switched off are judged by their upstreams. */
export function siteReports(uptime: Uptime, now: number): SiteReport[] {
  return uptime.sites.flatMap((site) => {
    if (!site.record.enabled) return []
    const subject = uptime.subjects.get(siteSubject(site.id))
    if (offReason(site) !== undefined) return reportByUpstreams(uptime, site)
    const known = uptime.isInMaintenance(site.id) ? 'unknown' : (subject?.track.availability.state ?? 'unknown')
    return [reportOf(site, { state: known, subject, now })]
  })
}

function reportOf(
  { id, name }: SiteToWatch,
  about: { state: SiteReport['state']; subject: Subject | undefined; now: number },
): SiteReport {
  const { state, subject, now } = about
  const failure = subject?.incident && (JSON.parse(subject.incident.failure) as CheckFailure)
  const begins = subject?.begins.filter((at) => at > now - hourMs) ?? []
  const isDown = state === 'down'
  return {
    id,
    name,
    state,
    text: isDown && failure !== undefined ? `${failure.asked}. ${failure.came_back} ${failure.advice}` : '',
    downSince: isDown ? subject?.since : undefined,
    isFailing: state !== 'down' && (subject?.failed ?? 0) > 0,
    isFlapping: begins.length >= flaps,
  }
}

function reportByUpstreams(uptime: Uptime, site: SiteToWatch): SiteReport[] {
  const upstreams = uptime.upstreamsOf(site.id).filter(({ up }) => up !== null)
  if (upstreams.length === 0) return []
  const subjects = upstreams.map(({ address }) => uptime.subjects.get(upstreamSubject(address)))
  const states = subjects.map((subject) => subject?.track.availability.state ?? 'unknown')
  const isDown = states.every((state) => state === 'down')
  const isUp = states.includes('up')
  const { id, name } = site
  const list = upstreams.map(({ address, reason }) => `${address} (${reason ?? 'down'})`).join(', ')
  return [
    {
      id,
      name,
      state: isDown ? 'down' : isUp ? 'up' : 'unknown',
      text: isDown ? `No upstream answers: ${list}.` : '',
      downSince: isDown ? Math.max(...subjects.map((subject) => subject?.since ?? 0)) : undefined,
      isFailing: false,
      isFlapping: false,
    },
  ]
}
