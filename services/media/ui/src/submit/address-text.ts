import type { Platform } from '../api.ts'

const hosts: readonly (readonly [RegExp, Platform])[] = [
  [/(?:^|\.)(?:youtube\.com|youtu\.be)$/, 'youtube'],
  [/(?:^|\.)tiktok\.com$/, 'tiktok'],
  [/(?:^|\.)(?:instagram\.com|instagr\.am)$/, 'instagram'],
  [/(?:^|\.)(?:facebook\.com|fb\.watch|fb\.gg)$/, 'facebook'],
]

/** An address in a text: with its scheme, or beginning with the host of a platform as people copy it. */
const pattern =
  /https?:\/\/[^\s<>"']+|(?<![\w@/.-])(?:[\w-]+\.)*(?:youtube\.com|youtu\.be|tiktok\.com|instagram\.com|instagr\.am|facebook\.com|fb\.watch|fb\.gg)\/[^\s<>"']+/gi

/** Characters that a sentence around a URL leaves at its end. */
const trailing = /[.,;:!?)\]}»”’]+$/

/** The addresses in whatever was typed or pasted, in order, each once. Whether one can be fetched is the server's to say. */
export function addressesIn(text: string): string[] {
  const found = text.replaceAll(/[,;]+(?=https?:\/\/)/gi, ' ').match(pattern) ?? []
  const whole = found
    .map((part) => part.replace(trailing, ''))
    .map((part) => (/^https?:/i.test(part) ? part : `https://${part}`))
  return [...new Set(whole)].filter((address) => URL.canParse(address))
}

/** The platform an address belongs to, as far as its host tells. */
export function platformOf(address: string): Platform | undefined {
  if (!URL.canParse(address)) return undefined
  const host = new URL(address).hostname.toLowerCase()
  return hosts.find(([pattern]) => pattern.test(host))?.[1]
}

/** Paths of playlists and channels on the platforms. */
const listPaths: Partial<Record<Platform, RegExp>> = {
  youtube: /^\/(?:playlist|@[^/]+(?:\/(?:videos|shorts|streams|featured))?|(?:channel|c|user)\/[^/]+(?:\/\w+)?)\/?$/,
  tiktok: /^\/@[\w.-]+(?:\/collection\/[^/]+)?\/?$/,
  instagram: /^\/(?!(?:p|reels?|tv|share|stories|explore|accounts|direct)\/?$)[\w.]+(?:\/reels)?\/?$/,
}

/** Returns true for an address that looks like a playlist or channel; of hosts that the operator added, feeds and playlists. */
export function isListAddress(address: string): boolean {
  const platform = platformOf(address)
  if (!URL.canParse(address)) return false
  const { pathname, hostname } = new URL(address)
  if (platform === undefined) return /\/(?:playlist|feed)s?(?:\/|$)/.test(pathname)
  return hostname !== 'youtu.be' && listPaths[platform]?.test(pathname) === true
}

/**
 * What the query of the page's address brings for the field, as share menus and bookmarks send it: `url`, otherwise `text`. An
 * address that was put behind `?url=` as it is, as a shortcut on a phone does, goes to the end of the query.
 */
export function sharedText(search: string): string {
  const asItIs = /^\?url=(https?:\/\/.*)$/i.exec(search)?.[1]
  if (asItIs !== undefined) return asItIs
  const params = new URLSearchParams(search)
  return params.get('url') ?? params.get('text') ?? ''
}
