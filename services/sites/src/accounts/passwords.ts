import { impossiblePassword, passwordWeakness, verifyPassword } from '@hearth/credentials'
import type { UserRow } from '../database/tables.ts'
import { invalidField } from '../problems.ts'

/** Whether it is the user's password; as slow for a user who does not exist or has none. */
export async function isPasswordOf(user: UserRow | undefined, password: string): Promise<boolean> {
  return verifyPassword(password, user?.password_hash ?? impossiblePassword)
}

/** Refuses a new password that is weak, by the name of the member it came in. */
export function checkNewPassword(password: string, username: string, member: string): void {
  const weakness = passwordWeakness(password, [username])
  if (weakness !== undefined) throw invalidField(member, weakness)
}
