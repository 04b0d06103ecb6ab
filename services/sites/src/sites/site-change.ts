import bcrypt from 'bcryptjs'
import type { SiteCreate, SitePatch, SiteRecord } from './schema.ts'
import type { SiteRow } from './tables.ts'

/** Hashes of basic authentication by user name. */
export type PasswordHashes = Readonly<Record<string, string>>

/** A site as it is to become. */
export interface WantedSite {
  readonly record: SiteRecord
  readonly hashes: PasswordHashes
}

/** A user of basic authentication has neither a new password nor a stored one. */
export class PasswordMissing extends Error {
  override readonly name = 'PasswordMissing'
  readonly username: string

  constructor(username: string) {
    super(`${username} needs a password`)
    this.username = username
  }
}

/** Each request may have to be compared with one, so more would cost visitors time; less is too easy to guess. */
const bcryptCost = 12

/** What a row holds. */
export function wantedOfRow(row: Pick<SiteRow, 'record' | 'hashes'>): WantedSite {
  return { record: JSON.parse(row.record) as SiteRecord, hashes: JSON.parse(row.hashes) as PasswordHashes }
}

/**
 * What a site becomes by what was sent: members that were left out of a patch stay, and so do passwords that were not sent
 * again. Throws `PasswordMissing`.
 */
export async function changedSite(before: WantedSite | undefined, input: SiteCreate | SitePatch): Promise<WantedSite> {
  const { basic_auth: users, ...members } = input
  const record = { ...before?.record, ...withoutUndefined(members) } as SiteRecord
  if (users === undefined)
    return { record: { ...record, basic_auth: before?.record.basic_auth ?? [] }, hashes: before?.hashes ?? {} }
  const hashes: Record<string, string> = {}
  for (const { username, password } of users) {
    const hash = password === undefined ? before?.hashes[username] : await bcrypt.hash(password, bcryptCost)
    if (hash === undefined) throw new PasswordMissing(username)
    hashes[username] = hash
  }
  return { record: { ...record, basic_auth: users.map(({ username }) => ({ username })) }, hashes }
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
