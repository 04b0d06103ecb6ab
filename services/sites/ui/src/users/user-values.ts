import type { components } from '../api.gen.ts'

type User = components['schemas']['User']
type UserUpdate = components['schemas']['UserUpdate']

/** What the form for an existing account holds; an empty password means "keep". */
export interface UserValues extends Record<string, unknown> {
  username: string
  role: User['role']
  is_active: boolean
  password: string
  password_change_required: boolean
}

/** The form for an account that exists. */
export function userValues({ username, role, is_active, password_change_required }: User): UserValues {
  return { username, role, is_active, password: '', password_change_required }
}

/** The body that changes an account: only what differs; undefined when nothing does. */
export function toUserUpdate(values: UserValues, user: User): UserUpdate | undefined {
  const before: Record<string, unknown> = userValues(user)
  const changed = Object.entries(values).filter(([member, value]) => value !== before[member])
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
