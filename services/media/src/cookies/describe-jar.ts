import type { Platform } from '../platforms/schema.ts'
import type { Cookie } from './cookie.ts'
import { domainOf, loginStateOf, type LoginState } from './platform-cookies.ts'
import type { CookieSnapshot, JarStatus } from './schema.ts'

/** What is kept for a platform. */
export interface StoredJar {
  /** Undefined when the file is there but cannot be read. */
  readonly cookies: readonly Cookie[] | undefined
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
}

/** The name of a platform's jar in its folder. */
export function jarName(platform: Platform): string {
  return `${platform}.txt`
}

/**
 * How a jar is: `valid` when its login cookies are there and will be for a while, `expired` when they were, `invalid` when
 * some are missing or the file cannot be read, `missing` without a file.
 *
 * @param now milliseconds since the epoch
 */
export function describeJar(platform: Platform, jar: StoredJar | undefined, now: number): CookieSnapshot {
  const cookies = jar?.cookies ?? []
  const login = loginStateOf(platform, cookies)
  const status = statusOf(jar, login, now)
  return {
    platform,
    filename: jarName(platform),
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
