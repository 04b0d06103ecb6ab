import type { Blocklist, BlocklistUpdate } from '../../pending-api.ts'

/** The formats of lists in words. */
export const listFormats: Readonly<Record<Blocklist['format'], string>> = {
  auto: 'Find out by itself',
  adblock: 'Adblock (||name^)',
  hosts: 'Hosts file (0.0.0.0 name)',
  domains: 'Names, one a line',
  dnsmasq: 'dnsmasq (address=/name/)',
}

/** One list's part of an update, in a sentence. */
export function updateWords(part: BlocklistUpdate['lists'][number]): string {
  if (part.error !== null) return part.error
  if (part.status === 'waiting') return 'waiting'
  if (part.entries === null) return 'downloading'
  const changes = [sign('+', part.added), sign('−', part.removed)].filter((text) => text !== '')
  return changes.length === 0 ? 'nothing new' : changes.join(', ')
}

/** How far an update is: how many of how many lists are done. */
export function updateProgress(update: BlocklistUpdate): { done: number; of: number } {
  const done = update.lists.filter(({ entries, error }) => entries !== null || error !== null).length
  return { done, of: update.lists.length }
}

/** A name for a list out of its address: the host, and the file when it says something. */
export function proposedName(url: string): string {
  if (!URL.canParse(url)) return ''
  const { hostname, pathname } = new URL(url)
  const file = decodeURIComponent(pathname.split('/').findLast((part) => part !== '') ?? '').replace(/\.\w{2,4}$/, '')
  return (file === '' ? hostname : `${file} (${hostname})`).slice(0, 64)
}

const sign = (mark: string, count: number | null): string =>
  count === null || count === 0 ? '' : `${mark}${count.toLocaleString('en')}`
