import { whyNotPublic, isWildcard, wildcardOver } from './domains.ts'
import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'

/** A domain is one site's; the service's own host is nobody's; public authorities sign only what they can check. */
export function checkDomains(
  { domains, tls }: SiteToCheck,
  context: RuleContext,
  { report, warn }: { report: Report; warn: Report },
): void {
  for (const [index, domain] of domains.entries()) {
    const field = `domains.${index}`
    const owner = context.domains.ownerOf(domain)
    if (owner !== undefined && owner.id !== context.siteId)
      report(field, `${domain} belongs to the site "${owner.site_name}"`)
    if (context.protectedHosts.includes(domain)) report(field, `${domain} is the host of this service itself`)
    for (const host of context.protectedHosts)
      if (wildcardOver(host) === domain) warn(field, `takes in ${host}, the host of this service itself`)
    const problem = certificateProblem(domain, tls.mode)
    if (problem !== undefined) report(field, problem)
    for (const other of context.domains.overlapping(domain).slice(0, 5))
      if (other.owner.id !== context.siteId) warn(field, overlap(domain, other))
  }
}

function overlap(domain: string, other: ReturnType<RuleContext['domains']['overlapping']>[number]): string {
  const of = `"${other.owner.site_name}"`
  return isWildcard(domain)
    ? `${other.domain} stays with the site ${of}`
    : `${domain} is taken out of ${other.domain} of the site ${of}`
}

function certificateProblem(domain: string, mode: SiteToCheck['tls']['mode']): string | undefined {
  if (mode !== 'auto' && mode !== 'on_demand') return undefined
  const why = whyNotPublic(domain)
  if (why !== undefined) return `no public authority signs ${domain}: ${why}; choose tls internal, custom or off`
  if (mode === 'auto' && isWildcard(domain))
    return `a public certificate for ${domain} needs DNS validation, which Caddy has only with plugins; choose on_demand, custom or internal`
  return undefined
}
