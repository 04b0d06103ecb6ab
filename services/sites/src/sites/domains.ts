import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** A domain in the form that is stored and compared, or why the text is none. */
export type DomainReading = { readonly domain: string } | { readonly problem: string }

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const notInNames = /[\s/\\?#@%:[\]{}<>|^`"',;!$&()=+~]/

/**
 * Reads one domain as a person types it: lower case, without the last dot, Unicode as its ASCII form (IDNA). A wildcard stands
 * only for the whole first label. Addresses are written plainly, IPv6 without brackets. No port, no scheme, no path.
 */
export function readDomain(text: string): DomainReading {
  const plain = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (plain === '') return { problem: 'must not be empty' }
  if (isIP(plain) !== 0) return { domain: canonicalAddress(plain) }
  if (plain.includes('://')) return { problem: 'must be a name without a scheme' }
  if (/:\d+$/.test(plain)) return { problem: 'must be a name without a port' }
  const isWildcard = plain.startsWith('*.')
  const name = (isWildcard ? plain.slice(2) : plain).replace(/\.$/, '')
  if (name.includes('*')) return { problem: 'may have a wildcard only as the whole first label' }
  if (notInNames.test(name)) return { problem: 'has a character that no domain has' }
  return readName(name, isWildcard)
}

function readName(name: string, isWildcard: boolean): DomainReading {
  const ascii = domainToASCII(name).toLowerCase()
  const labels = ascii.split('.')
  if (ascii === '' || !labels.every((part) => label.test(part))) return { problem: 'is not a valid domain name' }
  const last = labels.at(-1) ?? ''
  if (/^(\d+|0x[0-9a-f]*)$/.test(last)) return { problem: 'is not a valid domain name: the last label is a number' }
  const domain = isWildcard ? `*.${ascii}` : ascii
  if (domain.length > 253) return { problem: 'must have at most 253 characters' }
  return { domain }
}

/** IPv6 in its shortest form, as Caddy writes it; IPv4 as it is. */
function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
}

/** Splits a text of several domains at blanks and commas. */
export function splitDomains(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '')
}

const internalSuffixes = new Set([
  'local',
  'localhost',
  'internal',
  'test',
  'example',
  'invalid',
  'lan',
  'home',
  'corp',
  'onion',
])

/** Returns the reason why no public authority signs a certificate for the domain, or undefined when one may. */
export function whyNotPublic(domain: string): string | undefined {
  if (isIP(domain) !== 0) return 'it is an address'
  const labels = domain.replace(/^\*\./, '').split('.')
  if (labels.length === 1) return 'it is a single label'
  const last = labels.at(-1) ?? ''
  if (internalSuffixes.has(last)) return `.${last} is not a public domain`
  return domain.endsWith('.home.arpa') ? '.home.arpa is not a public domain' : undefined
}

/** Returns true if the domain stands for every name one label below. */
export function isWildcard(domain: string): boolean {
  return domain.startsWith('*.')
}

/** The wildcard that covers the name, `*.example.org` for `www.example.org`; undefined for an address or a single label. */
export function wildcardOver(domain: string): string | undefined {
  const dot = domain.indexOf('.')
  return dot === -1 || isIP(domain) !== 0 || isWildcard(domain) ? undefined : `*${domain.slice(dot)}`
}

/** The id, name and domains of a site. */
export interface DomainOwner {
  readonly id: number
  readonly site_name: string
}

/** Index of the owners of domains. */
export type DomainIndex = ReturnType<typeof createDomainIndex>

/** Creates the index from all sites. A domain that two sites have belongs to the first. */
export function createDomainIndex(sites: Iterable<DomainOwner & { readonly domains: readonly string[] }>) {
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
    ownerOf: (domain: string) => owners.get(domain),
    /** Returns sites that have a wildcard over the name, or names below the wildcard; with the domain that meets it. */
    overlapping(domain: string): { readonly owner: DomainOwner; readonly domain: string }[] {
      const others = isWildcard(domain) ? (below.get(domain) ?? []) : [wildcardOver(domain) ?? '']
      return others.flatMap((other) => {
        const owner = owners.get(other)
        return owner ? [{ owner, domain: other }] : []
      })
    },
  }
}

/** Creates the index of the sites that answer for hosts. Exact names come before wildcards, and a wildcard stands for one label, as the server has it. */
export function createHostIndex(entries: Iterable<readonly [host: string, siteId: number]>) {
  const sites = new Map<string, number>(entries)
  return {
    siteOf(host: string): number | undefined {
      const dot = host.indexOf('.')
      return sites.get(host) ?? (dot === -1 ? undefined : sites.get(`*${host.slice(dot)}`))
    },
  }
}
