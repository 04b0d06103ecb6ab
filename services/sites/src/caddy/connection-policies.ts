import { isWildcard, wildcardOver } from '../sites/domains.ts'
import type { Capabilities } from './capabilities.ts'
import type { CompiledSite } from './desired-state.ts'
import { certificateTag } from './tls-app.ts'

/** Policies by which a server answers TLS handshakes, with the sites behind each. */
export interface ConnectionPolicies {
  readonly policies: object[]
  readonly ids: number[][]
  /** True if some site requires client certificates. */
  readonly requestsClientCertificates: boolean
}

interface Group {
  readonly demands: object
  readonly exact: string[]
  readonly wildcards: string[]
  readonly ids: number[]
}

/**
 * The TLS connection policies of the sites, grouped by what they demand: exact names first, then names without demands that a
 * wildcard would take, then wildcards, and the empty policy for all others at the end.
 */
export function connectionPolicies(sites: readonly CompiledSite[], capabilities: Capabilities): ConnectionPolicies {
  const groups = groupsOf(sites, capabilities)
  const demanding = groups.filter(({ demands }) => Object.keys(demands).length > 0)
  const covering = new Set(demanding.flatMap(({ wildcards }) => wildcards))
  const policies: object[] = []
  const ids: number[][] = []
  const push = (sni: readonly string[], group: Group) => {
    if (sni.length === 0) return
    policies.push({ match: { sni: [...sni] }, ...group.demands })
    ids.push(group.ids)
  }
  for (const group of demanding) push(group.exact, group)
  for (const group of groups.filter((group) => !demanding.includes(group)))
    push(
      group.exact.filter((domain) => covering.has(wildcardOver(domain) ?? '')),
      group,
    )
  for (const group of demanding) push(group.wildcards, group)
  return {
    policies: [...policies, {}],
    ids: [...ids, []],
    requestsClientCertificates: sites.some(({ record }) => record.tls.client_auth_ca_id !== null),
  }
}

function groupsOf(sites: readonly CompiledSite[], capabilities: Capabilities): Group[] {
  const groups = new Map<string, Group>()
  for (const site of sites) {
    const demands = demandsOf(site, capabilities)
    const key = JSON.stringify(demands)
    const group = groups.get(key) ?? { demands, exact: [], wildcards: [], ids: [] }
    // A client that goes to an address names no server, so a policy could not know it by its name.
    for (const domain of site.record.domains.filter((domain) => !isAddress(domain)))
      (isWildcard(domain) ? group.wildcards : group.exact).push(domain)
    group.ids.push(site.id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function isAddress(domain: string): boolean {
  return domain.includes(':') || /^[\d.]+$/.test(domain)
}

function demandsOf(site: CompiledSite, capabilities: Capabilities): object {
  const { tls } = site.record
  const authorities = site.clientAuthorities ?? []
  const hasCertificate = tls.mode === 'custom' && site.certificate !== undefined
  return {
    ...(hasCertificate && { certificate_selection: { any_tag: [certificateTag(site)] } }),
    ...(tls.min_version === '1.3' && { protocol_min: 'tls1.3' }),
    ...(tls.client_auth_ca_id !== null &&
      authorities.length > 0 && {
        client_authentication: {
          ...(capabilities.clientAuthCaField
            ? { ca: { provider: 'inline', trusted_ca_certs: [...authorities] } }
            : { trusted_ca_certs: [...authorities] }),
          mode: 'require_and_verify',
        },
      }),
  }
}
