import type { RequestOrigin } from '@hearth/accounts'
import type { PasswordSignIn } from '../accounts/sign-in.ts'
import type { UserRow } from '../accounts/tables.ts'
import type { AddressLimit } from './address-limit.ts'
import { fieldOf } from './portal-page-request.ts'

/** A visitor who proved who they are; `password change` when a new password must be chosen first. */
export type VisitorProof = { readonly user: UserRow; readonly method: 'password' | 'recovery_code' } | 'password change'

/** Recovery codes look like no password that this service makes. */
const recoveryCode = /^(?:[a-z0-9]{4}-){3}[a-z0-9]{4}$/i

/** Returns true when a visitor typed a recovery code in place of the password. */
export const isRecoveryCode = (body: Readonly<Record<string, unknown>>): boolean =>
  recoveryCode.test(fieldOf(body, 'password').trim())

/**
 * Checks what a visitor typed. A password that is over is replaced by the new one, which must be typed beside it; a recovery code
 * could not stand for it, and is not used up then.
 */
export async function proveVisitor(
  {
    passwords,
    limit,
  }: { readonly passwords: Pick<PasswordSignIn, 'identify' | 'replacePassword'>; readonly limit: AddressLimit },
  body: Readonly<Record<string, unknown>>,
  from: RequestOrigin,
): Promise<VisitorProof> {
  const password = fieldOf(body, 'password').slice(0, 4096)
  const isCode = isRecoveryCode(body)
  const proof = isCode ? { recovery_code: password.trim() } : { password }
  const username = fieldOf(body, 'username').slice(0, 255)
  const isAdmitted = (found: UserRow) => !isCode || found.password_change_required === 0
  const user = await limit(from, () => passwords.identify({ username, ...proof }, from, isAdmitted))
  if (user.password_change_required === 0) return { user, method: isCode ? 'recovery_code' : 'password' }
  const next = fieldOf(body, 'new_password').slice(0, 4096)
  if (isCode || next === '') return 'password change'
  await passwords.replacePassword(user, { current: password, next }, from)
  return { user: { ...user, password_change_required: 0 }, method: 'password' }
}
