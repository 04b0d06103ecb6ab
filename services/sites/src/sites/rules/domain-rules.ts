import { isIP } from 'node:net'
import { isWildcard, whyNotPublic, wildcardOver } from '../domains.ts'
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
    return `a public certificate for ${domain} needs a proof by DNS: order one on the page Certificates and choose custom, or choose on_demand or internal`
  return undefined
}

/** Checks the members of each TLS mode, and those that need a host name. */
export function checkTls(
  site: SiteToCheck,
  context: RuleContext,
  { report, warn }: { report: Report; warn: Report },
): void {
  const { tls, hsts } = site
  checkCertificate(site, context, report)
  checkAuthority(site, report)
  if (tls.mode === 'on_demand' && !context.hasOnDemandAsk)
    report('tls.mode', 'on_demand needs somebody who is asked first: the setting on_demand_ask')
  checkClients(site, context, report)
  if (hsts !== null && tls.mode === 'off') report('hsts', 'needs TLS')
  if (hsts?.preload && (!hsts.subdomains || hsts.max_age < 31_536_000))
    report('hsts.preload', 'needs subdomains and a max_age of at least 31536000')
  if (hsts !== null && !site.force_https) warn('hsts', 'has little effect while force_https is off')
}

function checkCertificate({ tls }: SiteToCheck, context: RuleContext, report: Report): void {
  const { mode, certificate_id: id } = tls
  if (mode === 'custom' && id === null) report('tls.certificate_id', 'is required for the mode custom')
  if (mode !== 'custom' && id !== null) report('tls.certificate_id', 'needs the mode custom')
  if (id !== null && !context.hasCertificate(id)) report('tls.certificate_id', 'is no uploaded certificate')
}

function checkAuthority({ tls }: SiteToCheck, report: Report): void {
  const { mode, acme_ca: ca, staging } = tls
  const isPublic = mode === 'auto' || mode === 'on_demand'
  if (!isPublic && ca !== null) report('tls.acme_ca', 'needs the mode auto or on_demand')
  if (!isPublic && staging) report('tls.staging', 'needs the mode auto or on_demand')
  if (ca !== null && staging) report('tls.staging', 'must not stand beside acme_ca')
  if (ca !== null && !/^https:\/\/[^@{}\s\\]+$/.test(ca))
    report('tls.acme_ca', 'must be an https address without user name or braces')
}

function checkClients({ domains, tls }: SiteToCheck, context: RuleContext, report: Report): void {
  const { client_auth_ca_id: id, min_version: version, mode } = tls
  const hasAddress = domains.some((domain) => isIP(domain) !== 0)
  if (id !== null && mode === 'off') report('tls.client_auth_ca_id', 'needs TLS')
  if (id !== null && !context.hasAuthority(id)) report('tls.client_auth_ca_id', 'is no uploaded authority')
  const why = 'cannot be kept for an address: a visitor of an address names no server'
  if (hasAddress && id !== null) report('tls.client_auth_ca_id', why)
  if (hasAddress && version === '1.3' && mode !== 'off') report('tls.min_version', `1.3 ${why}`)
}
