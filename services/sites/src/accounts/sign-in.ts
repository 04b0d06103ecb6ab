import {
  changeSignInMethods,
  checkNewPassword,
  countUsablePasskeys,
  createLastingThrottle,
  isPasswordOf,
  samePassword,
  signIn,
  type Attempts,
  type AttemptWindow,
  type RecoveryCodes,
  type RequestOrigin,
  type Throttle,
} from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isRecent, reauthenticationRequired, type SessionCaller } from '../access.ts'
import type { AccountTables, UserRow } from './tables.ts'
import { badRequest, conflict, invalidField } from '../problems.ts'
import { usersIn } from './users.ts'
import { Username, type PasswordChange, type SignIn } from './schema.ts'
import type { OpenSession, Origin, Sessions } from './sessions.ts'

/** Wrong guesses for one account from all addresses together; as many are those of one address. */
export const signInWindows: readonly AttemptWindow[] = [
  { limit: 5, windowSeconds: 60 },
  { limit: 20, windowSeconds: 3600 },
]

/** Keys of a user's attempts: to sign in, and, once signed in, to give their own password. */
export const accountKey = (username: string): string => `account ${username}`
export const ownPasswordKey = (userId: string): string => `own password ${userId}`

/** The password that a user has, and the one to have next. */
export interface PasswordPair {
  readonly current: string
  readonly next: string
}

export interface SignInDependencies {
  readonly database: Database<AccountTables>
  /** The current relying party ID; passkeys of others cannot sign in. */
  readonly relyingPartyId: string
  readonly clock: Clock
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly recoveryCodes: RecoveryCodes
  readonly securityLog: SecurityLog
}

/** Sign-in and re-authentication with a password or a recovery code. */
export class PasswordSignIn {
  readonly #dependencies: SignInDependencies
  readonly #throttle: Throttle

  constructor(dependencies: SignInDependencies) {
    this.#dependencies = dependencies
    this.#throttle = createLastingThrottle(dependencies.attempts, signInWindows)
  }

  /** The same error, in the same time, for a wrong name and for a wrong password or code. */
  async signIn(input: SignIn, origin: Origin): Promise<OpenSession> {
    const user = await this.identify(input, origin, (found) => found.sites_only === 0)
    return this.#dependencies.sessions.open(
      user,
      input.recovery_code === undefined ? 'password' : 'recovery_code',
      origin,
    )
  }

  /** Identifies a user without a session. A user who is not admitted is as unknown as any other. */
  async identify(input: SignIn, from: RequestOrigin, isAdmitted: (user: UserRow) => boolean): Promise<UserRow> {
    const username = input.username.trim().toLowerCase()
    // Text that cannot be a name is not searched for: databases refuse some of it.
    const isName = Username.safeParse(username).success
    const isByCode = input.recovery_code !== undefined
    const attempt = signIn({
      isByCode,
      throttle: this.#throttle,
      key: accountKey(username),
      find: async () => {
        const found = isName ? await usersIn(this.#db).findByName(username) : undefined
        return found !== undefined && isAdmitted(found) ? found : undefined
      },
      verify: (found) => this.#isRight(found, input),
    })
    return this.#dependencies.securityLog.watch(attempt, { from, username })
  }

  /** Renews the session as recently proved. */
  async reauthenticate(caller: SessionCaller, password: string, from: RequestOrigin): Promise<OpenSession> {
    await this.checkOwnPassword(caller, password, from)
    return this.#dependencies.sessions.renew(caller.key, 'password')
  }

  /** Throws unless it is the caller's own password. */
  async checkOwnPassword(caller: SessionCaller, password: string, from: RequestOrigin): Promise<void> {
    const { securityLog, sessions } = this.#dependencies
    const key = ownPasswordKey(caller.userId)
    await this.#throttle.attempt(key)
    if (!(await isPasswordOf(await sessions.userOf(caller.key), password))) {
      const { username } = caller
      await securityLog.failed({ from, username, reason: 'wrong_current_password', status: 400 })
      throw badRequest('The current password is wrong', 'wrong_password')
    }
    await this.#throttle.succeed(key)
  }

  /** Ends the user's other sessions; this one goes on under another key. */
  async changePassword(caller: SessionCaller, change: PasswordChange, from: RequestOrigin): Promise<OpenSession> {
    const { sessions } = this.#dependencies
    const user = await sessions.userOf(caller.key)
    if (change.current_password !== undefined) await this.checkOwnPassword(caller, change.current_password, from)
    else if (!this.#mayLeavePasswordOut(caller, user)) throw invalidField('current_password', 'is needed')
    if (await isPasswordOf(user, change.new_password)) throw samePassword()
    checkNewPassword(change.new_password, [user.username], 'new_password')
    const password_hash = await hashPassword(change.new_password)
    await usersIn(this.#db).update(user.id, { password_hash, password_change_required: 0 })
    return sessions.renew(caller.key, change.current_password === undefined ? caller.provedBy : 'password', {
      alone: true,
    })
  }

  /** Gives a user who has just typed the current password a new one at the portal, and ends all sessions of the user. */
  async replacePassword(user: UserRow, { current, next }: PasswordPair, from: RequestOrigin): Promise<void> {
    const { sessions, securityLog } = this.#dependencies
    if (next === current) throw samePassword()
    checkNewPassword(next, [user.username], 'new_password')
    const values = { password_hash: await hashPassword(next), password_change_required: 0 }
    const changing = sessions.endAll(user.id, (trx) => usersIn(trx).update(user.id, values))
    const by = { userId: user.id, username: user.username }
    await securityLog.recordAfter(changing, { kind: 'password_changed', by, from, detail: 'at the portal' })
  }

  /** From now on the user signs in with passkeys alone. */
  async removePassword(caller: SessionCaller): Promise<OpenSession> {
    const { database, sessions, relyingPartyId } = this.#dependencies
    await changeSignInMethods(database, async (trx) => {
      if ((await countUsablePasskeys(trx, caller.userId, relyingPartyId)) === 0)
        throw conflict('Without a passkey the password is your last way to sign in', 'last_sign_in_method')
      await usersIn(trx).update(caller.userId, { password_hash: null })
    })
    return sessions.renew(caller.key, caller.provedBy, { alone: true })
  }

  async #isRight(user: UserRow | undefined, input: SignIn): Promise<boolean> {
    const { recovery_code: code, password = '' } = input
    if (code === undefined) return isPasswordOf(user, password)
    // A disabled user does not consume a code.
    const mayUse = user !== undefined && user.is_active === 1
    return this.#dependencies.recoveryCodes.use(mayUse ? user.id : undefined, code)
  }

  get #db(): Kysely<AccountTables> {
    return this.#dependencies.database.query
  }

  /** A user who has just proved a passkey or a recovery code may have forgotten the password. */
  #mayLeavePasswordOut(caller: SessionCaller, user: UserRow): boolean {
    if (!isRecent(caller, this.#dependencies.clock.now())) {
      if (user.password_hash === null) throw reauthenticationRequired()
      return false
    }
    return user.password_hash === null || caller.provedBy !== 'password'
  }
}
