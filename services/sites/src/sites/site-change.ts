import { hash } from 'bcryptjs'
import { siteDefaults, type SiteCreate, type SitePatch, type SiteRecord } from './schema.ts'
import type { SiteRow } from './tables.ts'

/** Parts of a site that are never shown: password hashes and adapted routes. */
export interface SiteExtras {
  /** Bcrypt hashes of basic authentication by user name. */
  readonly hashes: Readonly<Record<string, string>>
  /** Routes of a site of kind raw: adapted from its directives and found harmless. */
  readonly rawRoutes?: readonly object[]
}

/** A site as it is to become. */
export interface WantedSite {
  readonly record: SiteRecord
  readonly extras: SiteExtras
  /** Directives were sent with the change, whatever the kind of the site. */
  readonly hasNewDirectives?: boolean
}

/** Less is too easy to guess; Caddy remembers a password it has compared once. */
const bcryptCost = 12

/** Hashes a password of basic authentication with bcrypt. */
export const hashPassword = (password: string): Promise<string> => hash(password, bcryptCost)

/** Reads the site in a row. Members that the version that stored it did not have are as by default. */
export function wantedOfRow(row: Pick<SiteRow, 'record' | 'extras'>): WantedSite {
  const record = { ...siteDefaults, ...(JSON.parse(row.record) as Partial<SiteRecord>) } as SiteRecord
  return { record, extras: JSON.parse(row.extras) as SiteExtras }
}

/**
 * Applies a body to a site: members that were left out of a patch stay, and so do passwords that were not sent
 * again. A user without any password has no hash, which the rules refuse.
 */
export async function changedSite(before: WantedSite | undefined, input: SiteCreate | SitePatch): Promise<WantedSite> {
  const { basic_auth: users, ...members } = input
  const extras = before?.extras ?? { hashes: {} }
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  const record = { ...before?.record, ...Object.fromEntries(given) } as SiteRecord
  const hasNewDirectives = typeof input.raw_directives === 'string' && input.raw_directives.trim() !== ''
  const directives = hasNewDirectives ? { hasNewDirectives } : {}
  if (users === undefined)
    return { record: { ...record, basic_auth: before?.record.basic_auth ?? [] }, extras, ...directives }
  const hashes: [string, string][] = []
  for (const { username, password } of users) {
    // A user name may equal a property that every object has.
    const known = Object.hasOwn(extras.hashes, username) ? extras.hashes[username] : undefined
    const hashed = password === undefined ? known : await hashPassword(password)
    if (hashed !== undefined) hashes.push([username, hashed])
  }
  return {
    record: { ...record, basic_auth: users.map(({ username }) => ({ username })) },
    extras: { ...extras, hashes: Object.fromEntries(hashes) },
    ...directives,
  }
}
