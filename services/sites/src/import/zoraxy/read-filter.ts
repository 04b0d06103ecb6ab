import { isIP } from 'node:net'
import { isObject } from '../config/json-location.ts'
import type { Definition } from './zoraxy-files.ts'

/** Networks of a site. */
export interface FilterReading {
  readonly access: { readonly allow: string[]; readonly deny: string[] }
  /** Why the site would let in whom the filter does not. */
  readonly unsafe: readonly string[]
}

/** What Zoraxy takes for local. */
const local = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
]

/** Reads an access filter. Countries have no place in a site. */
export function readFilter(filter: Definition): FilterReading {
  const unsafe: string[] = []
  const read = (kind: 'white' | 'black', addresses: unknown, countries: unknown): string[] => {
    if (isObject(countries) && Object.keys(countries).length > 0) unsafe.push(`countries on the ${kind}list`)
    return (isObject(addresses) ? Object.keys(addresses) : []).flatMap((address) => {
      const network = networkOf(address)
      if (network === undefined) unsafe.push(`the address ${address.slice(0, 60)} on the ${kind}list`)
      return network ?? []
    })
  }
  const deny =
    filter['BlacklistEnabled'] === true ? read('black', filter['BlackListIP'], filter['BlackListContryCode']) : []
  const hasLists = filter['BlacklistEnabled'] === true || filter['WhitelistEnabled'] === true
  if (hasLists && filter['TrustProxyHeadersOnly'] === true)
    unsafe.push('addresses of visitors behind other proxies; see the trusted proxies of the node')
  if (filter['WhitelistEnabled'] !== true) return { access: { allow: [], deny }, unsafe }
  const listed = read('white', filter['WhiteListIP'], filter['WhiteListCountryCode'])
  const allow = filter['WhitelistAllowLocalAndLoopback'] === true ? [...new Set([...listed, ...local])] : listed
  // A whitelist without an address lets nobody in.
  return { access: allow.length === 0 ? { allow, deny: ['0.0.0.0/0', '::/0'] } : { allow, deny }, unsafe }
}

/** An address, a network, or an IPv4 address whose last parts are `*`; undefined for anything else. */
function networkOf(text: string): string | undefined {
  if (isIP(text) !== 0) return text
  const [address = '', length = ''] = text.split('/')
  const version = isIP(address)
  if (version !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128)) return text
  const parts = text.split('.')
  const first = parts.indexOf('*')
  if (parts.length !== 4 || first < 1 || parts.slice(first).some((part) => part !== '*')) return undefined
  const start = parts.map((part) => (part === '*' ? '0' : part)).join('.')
  return isIP(start) === 4 ? `${start}/${first * 8}` : undefined
}
