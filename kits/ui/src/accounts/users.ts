import type { Column } from '../data-table.tsx'
import { changedValues } from '../changed-values.ts'

/** An account as the table of users shows it. */
export interface UserRow {
  readonly id: string
  readonly username: string
  readonly email?: string | null
  readonly role: 'user' | 'admin'
  readonly is_active: boolean
  readonly password_change_required: boolean
  readonly last_login_at: string | null
}

/** Values of the form for an account; an empty password keeps the current one. */
export interface UserValues extends Record<string, unknown> {
  username: string
  email: string
  role: UserRow['role']
  is_active: boolean
  password: string
  password_change_required: boolean
}

/** Texts and calls of a service for its users. */
export interface UserAdministration<User extends UserRow> {
  /** Text under the page's title. */
  readonly description: string
  /** Characters that a name may consist of, in a sentence. */
  readonly nameHint: string
  /** Rights of the role `user`, after "User:". */
  readonly userRole: string
  /** Accounts have an e-mail address. */
  readonly hasEmail?: boolean
  /** An administrator may ask for a new password at the next sign-in. */
  readonly mayRequirePassword?: boolean
  /** Further columns before the last sign-in. */
  readonly columns?: readonly Column<User>[]
  /** Data that is lost with an account. */
  losses(user: User): readonly string[]
  /** Each resolves with an answer whose `message` is shown. */
  create(values: UserValues): Promise<unknown>
  update(user: User, changes: Partial<UserValues>): Promise<unknown>
  remove(user: User): Promise<unknown>
  /** Cached answers to read again after a change. */
  readonly renew: readonly (readonly unknown[])[]
}

/** The form for an account that exists. */
export function userValues({ username, email, role, is_active, password_change_required }: UserRow): UserValues {
  return { username, email: email ?? '', role, is_active, password: '', password_change_required }
}

/** The values that differ from the account; undefined when none does. */
export function changedUserValues(values: UserValues, user: UserRow): Partial<UserValues> | undefined {
  const changed = changedValues(values, userValues(user))
  return Object.keys(changed).length === 0 ? undefined : changed
}
