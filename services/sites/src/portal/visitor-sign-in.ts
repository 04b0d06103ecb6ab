import { checkNewPassword, samePassword } from '@hearth/accounts'
import { hashPassword } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import type { PasswordSignIn } from '../accounts/sign-in.ts'
import type { AccountTables, UserRow } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import { fieldOf } from './portal-page-request.ts'
import type { RequestOrigin } from '@hearth/accounts'

/** A visitor who proved who they are; `password change` when a new password must be chosen first. */
export type VisitorProof = { readonly user: UserRow; readonly method: 'password' | 'recovery_code' } | 'password change'

/** Recovery codes look like no password that this service makes. */
const recoveryCode = /^(?:[a-z0-9]{4}-){3}[a-z0-9]{4}$/i

/** Checks what a visitor typed. A password that is over is replaced by the new one, which must be typed beside it. */
export async function proveVisitor(
  { db, passwords }: { readonly db: Kysely<AccountTables>; readonly passwords: Pick<PasswordSignIn, 'identify'> },
  body: Readonly<Record<string, unknown>>,
  from: RequestOrigin,
): Promise<VisitorProof> {
  const password = fieldOf(body, 'password').slice(0, 4096)
  const isCode = recoveryCode.test(password.trim())
  const proof = isCode ? { recovery_code: password.trim() } : { password }
  const username = fieldOf(body, 'username').slice(0, 255)
  const user = await passwords.identify({ username, ...proof }, from, () => true)
  if (user.password_change_required === 0) return { user, method: isCode ? 'recovery_code' : 'password' }
  const next = fieldOf(body, 'new_password')
  if (isCode || next === '') return 'password change'
  if (next === password) throw samePassword()
  checkNewPassword(next.slice(0, 4096), [user.username], 'new_password')
  await usersIn(db).update(user.id, {
    password_hash: await hashPassword(next.slice(0, 4096)),
    password_change_required: 0,
  })
  return { user: { ...user, password_change_required: 0 }, method: 'password' }
}
