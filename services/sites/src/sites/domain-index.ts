import { isWildcard, wildcardOver } from './domains.ts'

/** A site as its domains are known by. */
export interface DomainOwner {
  readonly id: number
  readonly site_name: string
}

/** Which domain is whose, found without a look at every site. */
export interface DomainIndex {
  ownerOf(domain: string): DomainOwner | undefined
  /** Sites that have a wildcard over the name, or names below the wildcard; with the domain that meets it. */
  overlapping(domain: string): { readonly owner: DomainOwner; readonly domain: string }[]
}

/** Reads all sites once. A domain that two sites have belongs to the first. */
export function createDomainIndex(sites: Iterable<DomainOwner & { readonly domains: readonly string[] }>): DomainIndex {
  const owners = new Map<string, DomainOwner>()
  const below = new Map<string, string[]>()
  for (const { id, site_name, domains } of sites)
    for (const domain of domains) {
      if (owners.has(domain)) continue
      owners.set(domain, { id, site_name })
      const wildcard = wildcardOver(domain)
      if (wildcard === undefined) continue
      const names = below.get(wildcard)
      if (names) names.push(domain)
      else below.set(wildcard, [domain])
    }
  return {
    ownerOf: (domain) => owners.get(domain),
    overlapping: (domain) => {
      const others = isWildcard(domain) ? (below.get(domain) ?? []) : [wildcardOver(domain) ?? '']
      return others.flatMap((other) => {
        const owner = owners.get(other)
        return owner ? [{ owner, domain: other }] : []
      })
    },
  }
}
