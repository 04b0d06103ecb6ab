import type { Platform } from '../platforms/schema.ts'
import type { Cookie } from './cookie.ts'
import type { CookieSnapshot, JarStatus } from './schema.ts'

interface PlatformCookies {
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

/** State of the login cookies of a jar. */
type LoginState = ReturnType<typeof loginStateOf>

/** Looks for the login cookies on the platform's own domain: those of other domains do not sign anybody in there. */
export function loginStateOf(platform: Platform, cookies: readonly Cookie[]) {
  const { domains, login } = platformCookies[platform]
  const own = cookies.filter(({ domain, value }) => domainOf(platform, domain) === domains[0] && value !== '')
  const groups = login.map((names) => own.filter(({ name }) => names.includes(name)))
  const ends = groups.flatMap((group) => {
    const times = group.map(({ expires }) => expires ?? Infinity)
    return times.length === 0 ? [] : [Math.max(...times)]
  })
  const first = Math.min(...ends)
  return {
    /** Groups without any cookie, each by the names that would do, joined by ` or `. */
    missing: login.filter((_, index) => groups[index]?.length === 0).map((names) => names.join(' or ')),
    /** Time at which the first group loses its last cookie, Unix seconds; null when none of them does. */
    expiresAt: Number.isFinite(first) ? first : null,
  }
}

/** A stored jar of a platform. */
export interface StoredJar {
  /** Undefined when the file is there but cannot be read. */
  readonly cookies: readonly Cookie[] | undefined
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

/**
 * Describes a jar at a time, milliseconds since the epoch: `valid` when its login cookies are there and will be for a while,
 * `expired` when they were, `invalid` when some are missing or the file cannot be read, `missing` without a file.
 */
export function describeJar(platform: Platform, jar: StoredJar | undefined, now: number): CookieSnapshot {
  const cookies = jar?.cookies ?? []
  const login = loginStateOf(platform, cookies)
  const status = statusOf(jar, login, now)
  return {
    platform,
    filename: `${platform}.txt`,
    present: jar !== undefined,
    status,
    authenticated: status === 'valid',
    cookie_count: cookies.length,
    matching_domain_count: cookies.filter(({ domain }) => domainOf(platform, domain) !== undefined).length,
    expires_at: login.expiresAt,
    updated_at: jar === undefined ? null : Math.floor(jar.updatedAt / 1000),
    domains: [...new Set(cookies.map(({ domain }) => domain))].sort(),
    missing_login_cookies: [...login.missing],
    detail: detailOf(status, jar, login),
  }
}

function statusOf(jar: StoredJar | undefined, { missing, expiresAt }: LoginState, now: number): JarStatus {
  if (jar === undefined) return 'missing'
  if (jar.cookies === undefined || missing.length > 0) return 'invalid'
  return expiresAt !== null && expiresAt * 1000 <= now ? 'expired' : 'valid'
}

function detailOf(status: JarStatus, jar: StoredJar | undefined, { missing }: LoginState): string {
  switch (status) {
    case 'missing':
      return 'No cookies are stored; downloads are anonymous.'
    case 'expired':
      return 'The sign-in has expired; downloads are anonymous until new cookies are stored.'
    case 'valid':
      return 'Signed in.'
    case 'invalid':
      return jar?.cookies === undefined
        ? 'The stored cookies cannot be read; store them again.'
        : `Nobody is signed in: ${missing.join(', ')} is missing. Downloads are anonymous.`
  }
}
