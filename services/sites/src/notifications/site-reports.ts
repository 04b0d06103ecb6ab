import { createRepeatFilter, type Condition, type Reports } from '@hearth/notifications'
import type { FallenGrade } from '../certificates/history/history.ts'
import type { OrderView } from '../acme/schema.ts'
import type { HostCertificate } from '../certificates/inventory/certificate-state.ts'
import type { NewEvent } from '../events/schema.ts'
import type { UpstreamState } from '../traffic/schema.ts'

export interface SiteReportsDependencies {
  readonly reports: Reports
  /** Returns the names of all enabled sites by id. */
  readonly siteNames: () => Promise<ReadonlyMap<number, string>>
}

/** Turns what the service observes into notifications. */
export type SiteReports = ReturnType<typeof createSiteReports>

/** Certificate states that need somebody. A new site's certificate may be pending for a while, and a silent server is its own condition. */
const badStates: ReadonlySet<HostCertificate['state']> = new Set(['expiring', 'expired', 'missing'])

/** Creates the reports of what the service observes. */
export function createSiteReports({ reports, siteNames }: SiteReportsDependencies) {
  const filterRepeated = createRepeatFilter()
  /** Sites that were reported before the start are not known. */
  let mayBeReported = true
  return {
    /** Reports what an event of the stream says about the Caddy servers. */
    event({ type, action, id, details = {} }: NewEvent): void {
      const subject = id ?? ''
      if (type === 'node') reportNode(reports, { subject, name: String(details['name']), isUp: action === 'reachable' })
      if (type === 'drift')
        reportDrift(reports, { subject, name: String(details['node']), isFound: action === 'found' })
    },
    /** Reports the sites that are down by the states of their upstreams, at the second check that says so. */
    async upstreams(states: readonly UpstreamState[]): Promise<void> {
      const down = sitesDown(states)
      if (down.size === 0 && !mayBeReported) return
      mayBeReported = down.size > 0
      const names = await siteNames()
      const conditions = Array.from(down, ([id, upstreams]): Condition => {
        const text = `No upstream answers: ${upstreams.map(({ address, reason }) => `${address} (${reason ?? 'down'})`).join(', ')}.`
        return { subject: String(id), title: `Site down: ${names.get(id) ?? id}`, text, path: `/sites/${id}` }
      })
      const { repeated, isKept } = filterRepeated(conditions)
      reports.replaceAll('site.down', repeated, {
        isKept,
        ended(subject) {
          // A site that was disabled or deleted is not up.
          const name = names.get(Number(subject))
          return name === undefined ? undefined : { title: `Site up: ${name}`, text: '', path: `/sites/${subject}` }
        },
      })
    },
    /** Reports the certificates that need somebody, out of those of all hosts. */
    certificates(all: readonly HostCertificate[]): void {
      const conditions = all
        .filter(({ state }) => badStates.has(state))
        .map(({ host, message }): Condition => {
          return { subject: host, title: `Certificate of ${host}`, text: `${message ?? ''}.`, path: '/certificates' }
        })
      const byHost = new Map(all.map((each) => [each.host, each]))
      reports.replaceAll('certificate.problem', conditions, {
        // Without an answer nothing is known.
        isKept: (subject) => byHost.get(subject)?.state === 'error',
        ended: (host) =>
          byHost.has(host)
            ? { title: `Certificate of ${host} is valid again`, text: '', path: '/certificates' }
            : undefined,
      })
    },
    /** Reports an order that failed, and that it is as wanted again. */
    order: (order: OrderView) => reportOrder(reports, order),
    /** Reports that a host got a worse grade than the time before. */
    fallenGrade({ host, grade, before }: FallenGrade): void {
      const title = `Grade of ${host} fell to ${grade}`
      reports.notify({ class: 'certificate.grade', title, text: `It was ${before} before.`, path: '/certificates' })
    },
  }
}

/** The sites all of whose checked upstreams are down, with these. */
function sitesDown(states: readonly UpstreamState[]): Map<number, UpstreamState[]> {
  const bySite = new Map<number, UpstreamState[]>()
  for (const state of states) {
    if (state.up === null) continue
    for (const id of state.site_ids) bySite.set(id, [...(bySite.get(id) ?? []), state])
  }
  return new Map([...bySite].filter(([, upstreams]) => upstreams.every(({ up }) => up === false)))
}

function reportNode(reports: Reports, { subject, name, isUp }: { subject: string; name: string; isUp: boolean }): void {
  const base = { class: 'caddy.unreachable', subject, path: '/servers' }
  if (isUp) reports.end({ ...base, title: `Caddy server ${name} answers again`, text: '' })
  else reports.begin({ ...base, title: `Caddy server ${name} does not answer`, text: 'Its sites may be down.' })
}

function reportOrder(reports: Reports, { id, name, state, problem, not_after: end }: OrderView): void {
  const base = { class: 'certificate.order', subject: id, path: `/certificates/orders/${id}` }
  if (state === 'valid') reports.end({ ...base, title: `Certificate ${name} is in place`, text: '' })
  if (problem === null) return
  const until = end === null ? '' : ` The certificate in use is valid until ${end.slice(0, 10)}.`
  const title = `Certificate ${name} could not be ${end === null ? 'ordered' : 'renewed'}`
  reports.begin({ ...base, title, text: `${problem.text.replace(/\.$/, '')}. ${problem.advice}${until}` })
}

function reportDrift(
  reports: Reports,
  { subject, name, isFound }: { subject: string; name: string; isFound: boolean },
): void {
  const base = { class: 'caddy.drift', subject, path: '/drift' }
  const text = 'Somebody changed what Caddy serves. Restore the sites, or adopt the change.'
  if (isFound) reports.begin({ ...base, title: `Configuration of ${name} was changed outside Hearth`, text })
  else reports.end({ ...base, title: `Configuration of ${name} is as wanted again`, text: '' })
}
