import type { Condition, Reports } from '@hearth/notifications'
import type { FallenGrade } from '../certificates/history/history.ts'
import type { OrderView } from '../acme/schema.ts'
import type { HostCertificate } from '../certificates/inventory/certificate-state.ts'
import type { NewEvent } from '../events/schema.ts'
import type { SiteReport } from '../uptime/site-reports.ts'
import type { LinkHealth } from '../vpn-link/vpn-link.ts'
import { everything, planDown } from './plan-down.ts'
import { vpnText } from './vpn-text.ts'

export interface SiteReportsDependencies {
  readonly reports: Reports
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Turns what the service observes into notifications. */
export type SiteReports = ReturnType<typeof createSiteReports>

/** Certificate states that need somebody. A new site's certificate may be pending for a while, and a silent server is its own condition. */
const badStates: ReadonlySet<HostCertificate['state']> = new Set(['expiring', 'expired', 'missing'])

/** Creates the reports of what the service observes. */
export function createSiteReports({ reports, now }: SiteReportsDependencies) {
  return {
    /** Reports what an event of the stream says about the Caddy servers. */
    event({ type, action, id, details = {} }: NewEvent): void {
      const subject = id ?? ''
      if (type === 'node') reportNode(reports, { subject, name: String(details['name']), isUp: action === 'reachable' })
      if (type === 'drift')
        reportDrift(reports, { subject, name: String(details['node']), isFound: action === 'found' })
    },
    /** Reports the sites that are down, or that all are: one message then, for what is away is probably the network. */
    sites(states: readonly SiteReport[]): void {
      const plan = planDown(states, now())
      const names = new Map(states.map(({ id, name }) => [String(id), name]))
      reports.replaceAll('site.down', plan.conditions, {
        isKept: (subject) => plan.kept.has(subject),
        ended(subject) {
          if (subject === everything) return { title: 'Sites are up again', text: '', path: '/uptime' }
          // A site that was disabled or deleted is not up.
          const name = names.get(subject)
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
    /** Reports an order or a revocation that failed, and that it is as wanted again. */
    order(order: OrderView): void {
      reportOrder(reports, order)
      reportRevocation(reports, order)
    },
    /** Reports that the linked VPN has failed for a while, or that it is as wanted again. */
    vpn(health: LinkHealth): void {
      const base = { class: 'vpn.away', subject: 'vpn', path: '/settings/vpn' }
      if (health.kind === 'failing') reports.begin({ ...base, ...vpnText(health.problem) })
      if (health.kind === 'good')
        reports.end({ ...base, title: 'Hearth VPN is linked again', text: 'Names and networks are in step.' })
      // Without a link nobody waits for the end.
      if (health.kind === 'ended') reports.replaceAll('vpn.away', [], { ended: () => undefined })
    },
    /** Reports that a host got a worse grade than the time before. */
    fallenGrade({ host, grade, before }: FallenGrade): void {
      const title = `Grade of ${host} fell to ${grade}`
      reports.notify({ class: 'certificate.grade', title, text: `It was ${before} before.`, path: '/certificates' })
    },
  }
}

function reportNode(reports: Reports, { subject, name, isUp }: { subject: string; name: string; isUp: boolean }): void {
  const base = { class: 'caddy.unreachable', subject, path: '/servers' }
  if (isUp) reports.end({ ...base, title: `Caddy server ${name} answers again`, text: '' })
  else reports.begin({ ...base, title: `Caddy server ${name} does not answer`, text: 'Its sites may be down.' })
}

function reportOrder(reports: Reports, { id, name, state, problem, not_after: end }: OrderView): void {
  const base = { class: 'certificate.order', subject: id, path: `/certificates/orders/${id}` }
  if (state === 'valid') reports.end({ ...base, title: `Certificate ${name} is in place`, text: '' })
  if (state === 'revoked') reports.end({ ...base, title: `Certificate ${name} is revoked`, text: '' })
  if (problem === null) return
  const until = end === null ? '' : ` The certificate in use is valid until ${end.slice(0, 10)}.`
  const title = `Certificate ${name} could not be ${end === null ? 'ordered' : 'renewed'}`
  reports.begin({ ...base, title, text: `${problem.text.replace(/\.$/, '')}. ${problem.advice}${until}` })
}

function reportRevocation(reports: Reports, { id, name, revocation }: OrderView): void {
  if (revocation === null) return
  const base = { class: 'certificate.order', subject: `${id} revocation`, path: `/certificates/orders/${id}` }
  const { state, problem } = revocation
  if (state === 'revoked') reports.end({ ...base, title: `The old certificate of ${name} is revoked`, text: '' })
  if (problem !== null)
    reports.begin({
      ...base,
      title: `The old certificate of ${name} is not revoked yet`,
      text: `${problem.replace(/\.$/, '')}. It is tried again.`,
    })
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
