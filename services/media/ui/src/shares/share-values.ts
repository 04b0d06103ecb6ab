import type { Share, ShareChange } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'

/** Values of the form of a share link. */
export interface ShareValues extends Record<string, unknown> {
  name: string
  /** Local time as `datetime-local` has it; empty for no end. */
  expires_at: string
  /** Empty or 0 for no limit. */
  max_uses: number | ''
  /** Empty for none, or for the one there is. */
  password: string
  /** Takes the password away. */
  is_open: boolean
}

/** Settings that a new link begins with. */
export interface ShareDefaults {
  readonly share_link_max_uses: number
  readonly share_link_expire_days: number
}

const day = 86_400_000

/** Values of the form for a new link, by the settings. */
export function newValues({ share_link_max_uses, share_link_expire_days }: ShareDefaults, now: Date): ShareValues {
  const end = share_link_expire_days === 0 ? '' : toLocalTime(new Date(now.getTime() + share_link_expire_days * day))
  return { name: '', expires_at: end, max_uses: share_link_max_uses, password: '', is_open: false }
}

/** Values of the form for a link there is. */
export function valuesOf({ name, expires_at, max_uses }: Share): ShareValues {
  const end = expires_at === null ? '' : toLocalTime(new Date(toIsoString(expires_at)))
  return { name: name ?? '', expires_at: end, max_uses, password: '', is_open: false }
}

/** What is sent for the values; `known` is the link before. */
export function changeOf(values: ShareValues, known?: Share): ShareChange {
  const { name, expires_at, max_uses, password, is_open: isOpen } = values
  const isSameEnd = known !== undefined && valuesOf(known).expires_at === expires_at
  return {
    name: name.trim() === '' ? null : name.trim(),
    max_uses: max_uses === '' ? 0 : max_uses,
    // The form shows whole minutes: an end that nobody touched stays as it is.
    ...(isSameEnd ? {} : { expires_at: expires_at === '' ? null : new Date(expires_at).toISOString() }),
    ...(isOpen ? { password: null } : password === '' ? {} : { password }),
  }
}

/** Checks values before they are sent; returns the problems. */
export function checkValues(values: ShareValues, now: Date) {
  const { expires_at, max_uses, password } = values
  return {
    ...(expires_at !== '' && new Date(expires_at) <= now && { expires_at: 'Lies in the past' }),
    ...(max_uses !== '' && (max_uses < 0 || max_uses > 10_000) && { max_uses: '0 to 10,000' }),
    ...(password !== '' && password.length < 6 && { password: 'Needs at least 6 characters' }),
  }
}

function toLocalTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Name of a share link on screen. */
export function nameOfShare({ name, files }: Pick<Share, 'name' | 'files'>): string {
  if (name !== null) return name
  const [first] = files
  return files.length === 1 ? (first?.title ?? 'One file') : `${files.length} files`
}
