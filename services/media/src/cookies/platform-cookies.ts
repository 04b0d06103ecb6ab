import type { Platform } from '../platforms/schema.ts'
import type { Cookie } from './cookie.ts'

/** Which cookies a platform has. */
export interface PlatformCookies {
  /** The platform's own first; their subdomains belong to them. */
  readonly domains: readonly [string, ...string[]]
  /** Each group has one cookie at least when somebody is signed in. */
  readonly login: readonly (readonly string[])[]
}

/** The domains and login cookies of each platform. */
export const platformCookies: Readonly<Record<Platform, PlatformCookies>> = {
  youtube: {
    domains: ['youtube.com', 'google.com'],
    login: [['LOGIN_INFO'], ['SAPISID', '__Secure-1PAPISID', '__Secure-3PAPISID']],
  },
  tiktok: { domains: ['tiktok.com'], login: [['sid_tt']] },
  instagram: { domains: ['instagram.com'], login: [['sessionid']] },
  facebook: { domains: ['facebook.com'], login: [['c_user'], ['xs']] },
}

/** The platform's domain a host lies in; undefined for a foreign host. */
export function domainOf(platform: Platform, host: string): string | undefined {
  const plain = host.toLowerCase().replace(/^\.|\.$/g, '')
  return platformCookies[platform].domains.find((domain) => plain === domain || plain.endsWith(`.${domain}`))
}

/** How the login cookies of a jar are. */
export interface LoginState {
  /** Groups without any cookie, each by the names that would do, joined by ` or `. */
  readonly missing: readonly string[]
  /** When the first group loses its last cookie, unix seconds; null when none of them does. */
  readonly expiresAt: number | null
}

/** Looks for the login cookies on the platform's own domain: those of other domains do not sign anybody in there. */
export function loginStateOf(platform: Platform, cookies: readonly Cookie[]): LoginState {
  const { domains, login } = platformCookies[platform]
  const own = cookies.filter(({ domain, value }) => domainOf(platform, domain) === domains[0] && value !== '')
  const groups = login.map((names) => own.filter(({ name }) => names.includes(name)))
  const ends = groups.flatMap((group) => {
    const times = group.map(({ expires }) => expires ?? Infinity)
    return times.length === 0 ? [] : [Math.max(...times)]
  })
  const first = Math.min(...ends)
  return {
    missing: login.filter((_, index) => groups[index]?.length === 0).map((names) => names.join(' or ')),
    expiresAt: Number.isFinite(first) ? first : null,
  }
}
