import type { Blocklist, BlocklistUpdate } from '../../api.ts'

/** The formats of lists in words. */
export const listFormats: Readonly<Record<Blocklist['format'], string>> = {
  auto: 'Detect automatically',
  adblock: 'Adblock (||name^)',
  hosts: 'Hosts file (0.0.0.0 name)',
  domains: 'Domains with subdomains, one per line',
  wildcard: 'Names and wildcards (*.name)',
  dnsmasq: 'dnsmasq (address=/name/)',
}

/** One list's part of an update, in a few words. */
export function updateText(part: BlocklistUpdate['lists'][number]): string {
  switch (part.status) {
    case 'waiting':
      return 'waiting'
    case 'running':
      return 'downloading'
    case 'unchanged':
      return 'nothing new'
    case 'failed':
      return part.error ?? 'failed'
    case 'updated':
      return [sign('+', part.added), sign('−', part.removed)].filter((text) => text !== '').join(', ') || 'nothing new'
  }
}

/** Returns true if a list is finished in this update. */
export const isSettled = ({ status }: BlocklistUpdate['lists'][number]): boolean =>
  status !== 'waiting' && status !== 'running'

/** Texts for the reasons why lines of a list were left out; the service has a short name for each. */
export function leftOutText(reason: string): string {
  if (reason.startsWith('modifier ')) return `Only in some cases ($${reason.slice('modifier '.length)})`
  return leftOut[reason] ?? reason
}

const leftOut: Readonly<Record<string, string>> = {
  cosmetic: 'About parts of pages, such as banners',
  address: 'An address, not a name',
  'part of an address': 'About one page of a site',
  'separator inside': 'About one page of a site',
  'not a domain name': 'Not a domain name',
  'single label': 'A name without a dot',
  'leads elsewhere': 'Redirects a name instead of blocking it',
  'matches too much': 'Would match far too much',
  'control character': 'Contains invisible characters',
  'unknown form': 'Unknown format',
}

/** Returns the progress of an update: finished lists of all lists. */
export function updateProgress({ lists }: BlocklistUpdate): { done: number; of: number } {
  return { done: lists.filter(isSettled).length, of: lists.length }
}

/** A name for a list out of its address: the host, and the file when it says something. */
export function proposedName(url: string): string {
  if (!URL.canParse(url)) return ''
  const { hostname, pathname } = new URL(url)
  const file = decodeURIComponent(pathname.split('/').findLast((part) => part !== '') ?? '').replace(/\.\w{2,4}$/, '')
  return (file === '' ? hostname : `${file} (${hostname})`).slice(0, 64)
}

const sign = (mark: string, count: number): string => (count === 0 ? '' : `${mark}${count.toLocaleString('en')}`)
