import { isIP } from 'node:net'
import { normaliseHost } from '@hearth/outbound'
import { commaList, settingKind } from '@hearth/runtime'
import { Platform } from './schema.ts'

/** The hosts of each platform, complete: a name that only ends like one of them is another's. */
const hostsOf: Readonly<Record<Platform, readonly string[]>> = {
  youtube: ['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtu.be'],
  tiktok: ['tiktok.com', 'www.tiktok.com', 'm.tiktok.com', 'vm.tiktok.com', 'vt.tiktok.com'],
  instagram: ['instagram.com', 'www.instagram.com', 'm.instagram.com', 'instagr.am', 'www.instagr.am'],
  facebook: [
    'facebook.com',
    'www.facebook.com',
    'm.facebook.com',
    'mbasic.facebook.com',
    'touch.facebook.com',
    'web.facebook.com',
    'fb.watch',
    'www.fb.watch',
    'fb.gg',
    'www.fb.gg',
  ],
}

const platformOf = new Map(
  Platform.options.flatMap((platform) => hostsOf[platform].map((host) => [host, platform] as const)),
)

/** A host the operator added to a platform. */
export interface ExtraHost {
  readonly platform: Platform
  /** In the form of `normaliseHost`. */
  readonly host: string
  /** Undefined for the usual ports of http and https. */
  readonly port: number | undefined
}

/** Owner of a URL's host. */
export interface HostOwner {
  readonly platform: Platform
  /** Added by the operator: http and any path are fine. */
  readonly isExtra: boolean
}

/**
 * The names for yt-dlp's `--use-extractors`: the extractors that may read an address of a platform, or of a host the operator
 * added. Without such a list any address would be taken by the extractor that fetches everything.
 */
export const extractorsOf: Readonly<Record<Platform | 'extra', readonly string[]>> = {
  youtube: ['youtube'],
  tiktok: ['tiktok', 'vm.tiktok'],
  instagram: ['instagram'],
  facebook: ['facebook', 'facebook:reel'],
  extra: ['generic', 'html5'],
}

/** The same for playlists and channels; none where yt-dlp has nothing that lists them. */
export const listExtractorsOf: Readonly<Record<Platform | 'extra', readonly string[]>> = {
  youtube: ['youtube:tab'],
  tiktok: ['tiktok:user', 'tiktok:collection'],
  instagram: ['instagram:user'],
  facebook: [],
  extra: ['generic', 'html5'],
}

/** The hosts of the platforms, and the extractors for their addresses. */
export type PlatformHosts = ReturnType<typeof createPlatformHosts>

/** Creates the hosts: the platforms' own and those the operator added. */
export function createPlatformHosts(extra: readonly ExtraHost[] = []) {
  function ownerOf(url: URL): HostOwner | undefined {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const own = platformOf.get(host)
    if (own !== undefined) return { platform: own, isExtra: false }
    const usual = url.protocol === 'https:' ? '443' : '80'
    const isPort = (port: number | undefined) =>
      url.port === '' ? port === undefined || `${port}` === usual : `${port}` === url.port
    const found = extra.find((entry) => entry.host === host && isPort(entry.port))
    return found === undefined ? undefined : { platform: found.platform, isExtra: true }
  }
  return {
    /** Undefined when the host belongs to no platform. An extra host counts only with the port it was given. */
    ownerOf,
    /** Returns the extractors that may read a URL of the platform. */
    extractorsFor: (platform: Platform, url: string): readonly string[] =>
      extractorsOf[ownerOf(new URL(url))?.isExtra === true ? 'extra' : platform],
  }
}

/** The setting `EXTRA_PLATFORM_HOSTS`: `youtube=HOST[:PORT],tiktok=…`; none when it is missing. */
export const extraPlatformHosts = commaList
  .transform((entries, context): ExtraHost[] => {
    const hosts: ExtraHost[] = []
    for (const [index, entry] of entries.entries()) {
      const host = readExtraHost(entry)
      const fault =
        typeof host === 'string'
          ? host
          : hosts.some((other) => other.host === host.host && other.port === host.port)
            ? 'names a host that was named before'
            : undefined
      if (typeof host === 'object' && fault === undefined) hosts.push(host)
      else context.addIssue({ code: 'custom', message: `entry ${index + 1} ${fault}` })
    }
    return hosts
  })
  .meta(settingKind('own form'))
  .prefault('')

/** Reads an entry; returns a text that says what is wrong with it. */
function readExtraHost(entry: string): ExtraHost | string {
  const [, name, place = ''] = /^([^=]+)=(.*)$/.exec(entry) ?? []
  const platform = Platform.safeParse(name?.trim()).data
  if (platform === undefined) return `must begin with one of ${Platform.options.join('=, ')}=`
  const [, text = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(place.trim()) ?? []
  const host = normaliseHost(text)
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || (text.startsWith('[') && isIP(host) !== 6)) return 'must name a host or HOST:PORT'
  if (port !== undefined && (port < 1 || port > 65_535)) return 'must have a port from 1 to 65535'
  if (platformOf.has(host)) return `names a host that belongs to ${platformOf.get(host)} already`
  return { platform, host, port }
}
