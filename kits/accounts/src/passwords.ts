import { hashPassword, passwordWeakness, verifyPassword } from '@hearth/credentials'
import { AccountError } from './account-error.ts'
import type { Throttle } from './throttle.ts'

/** The members of a user that sign-in needs. */
export interface PasswordHolder {
  /** PHC string; null for a user who signs in another way. */
  readonly password_hash: string | null
  /** 0 for a disabled user. */
  readonly is_active?: number
}

/** One attempt to sign in. */
export interface SignInAttempt<User> {
  /** Undefined for callers without a limit. */
  readonly throttle: Throttle | undefined
  /** Key that failures are counted for: an address, an account. */
  readonly key: string
  readonly find: () => Promise<User | undefined>
  /** Compares the proof, in the same time for a user who does not exist. */
  readonly verify: (user: User | undefined) => Promise<boolean>
  /** The proof is a recovery code instead of the password. */
  readonly isByCode?: boolean
}

/**
 * Identifies the user of a sign-in. Throws an `AccountError`: the same, in the same time, for a wrong name, a wrong proof and a
 * disabled user.
 */
export async function signIn<User extends PasswordHolder>(attempt: SignInAttempt<User>): Promise<User> {
  const { throttle, key, find, verify, isByCode = false } = attempt
  await throttle?.attempt(key)
  const user = await find()
  const isRight = await verify(user)
  const isDisabled = user?.is_active === 0
  if (!isRight || user === undefined || isDisabled)
    throw new AccountError({ kind: 'wrong-credentials', isDisabled: isRight && isDisabled, isByCode })
  await throttle?.succeed(key)
  return user
}

/** Checks whether it is the user's password, in the same time for a user who does not exist or has none. */
export function isPasswordOf(user: PasswordHolder | undefined, password: string): Promise<boolean> {
  return verifyPassword(password, user?.password_hash)
}

/**
 * Refuses a new password that is easily guessed.
 *
 * @param names user name, e-mail address and the like
 * @param member member of the body that the password came in
 */
export function checkNewPassword(password: string, names: readonly string[], member = 'password'): void {
  const weakness = passwordWeakness(password, names)
  if (weakness !== undefined) throw invalidPassword(member, 'weak_password', weakness)
}

/** A change of one's own password. */
export interface PasswordChange {
  readonly current: string
  readonly next: string
  /** User name, e-mail address and the like, which the new password must not resemble. */
  readonly names: readonly string[]
  /** Slows down guessing of the current one. */
  readonly guesses?: Guesses
}

/** The throttle of guesses, and the key that they are counted for. */
export interface Guesses {
  readonly throttle: Throttle
  readonly key: string
}

/** Throws an `AccountError` unless it is the user's current password. */
export async function checkCurrentPassword(user: PasswordHolder, given: string, guesses?: Guesses): Promise<void> {
  await guesses?.throttle.attempt(guesses.key)
  if (!(await isPasswordOf(user, given))) throw invalidPassword('current_password', 'wrong_password', 'is not right')
  await guesses?.throttle.succeed(guesses.key)
}

/** Checks the current and the new password and returns the hash of the new one. */
export async function replacePassword(user: PasswordHolder, change: PasswordChange): Promise<string> {
  const { current, next, names, guesses } = change
  await checkCurrentPassword(user, current, guesses)
  if (next === current) throw samePassword()
  checkNewPassword(next, names, 'new_password')
  return hashPassword(next)
}

/** The refusal of a new password that is the current one. */
export const samePassword = () => invalidPassword('new_password', 'same_password', 'must differ from the current one')

function invalidPassword(
  member: string,
  code: 'wrong_password' | 'same_password' | 'weak_password',
  message: string,
): AccountError {
  return new AccountError({ kind: 'invalid-password', member, code, message })
}
