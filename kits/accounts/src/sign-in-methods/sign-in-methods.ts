import { HttpError } from '@hearth/http'
import { Passkeys, type PasskeyDependencies, type PasskeyPolicy, type PasskeyUser } from '../passkeys/passkeys.ts'
import { passkeyOfRow, type NewCredential, type Passkey, type UsedCredential } from '../passkeys/schema.ts'
import { checkCurrentPassword, checkNewPassword, signIn, type Guesses, type PasswordHolder } from '../passwords.ts'
import { createRecoveryCodes, type RecoveryCodes } from '../recovery-codes/recovery-codes.ts'
import type { Actor, RequestOrigin } from '../security-log/security-event.ts'
import type { SecurityLog } from '../security-log/security-log.ts'
import type { PasswordRecovery } from './schema.ts'

/** The members of a user that sign-in methods need. */
export interface MethodUser extends PasskeyUser, PasswordHolder {
  readonly is_active: number
}

/** A signed-in user with the key of the session. */
export interface MethodCaller extends Actor {
  readonly key: string
}

/** Proof that the signed-in user asks: the current password, and where it came from. */
export interface PasswordProof {
  readonly password: string
  readonly from: RequestOrigin
}

/** Dependencies of the sign-in methods: the users of the service, and the throttle of its passwords. */
export interface SignInMethodDependencies<User extends MethodUser> extends PasskeyDependencies<User> {
  readonly securityLog: SecurityLog
  /** The user with this name, as it was typed. */
  readonly findByName: (username: string) => Promise<User | undefined>
  /** The throttle of passwords at sign-in; undefined for a caller without a limit. */
  readonly signInGuesses: (username: string, from: RequestOrigin) => Guesses | undefined
  /** The throttle of a user's guesses of the own password. */
  readonly ownGuesses: (caller: Actor, from: RequestOrigin) => Guesses | undefined
  /** Stores the password that replaces a lost one, and ends the user's sessions; left out where codes replace none. */
  readonly replacePassword?: (user: User, password: string) => Promise<void>
  /** Ends the user's sessions but this one. */
  readonly endOtherSessions: (caller: MethodCaller) => Promise<void>
}

/** Number of passkeys that a user may have, and of recovery codes in a set. */
const maxPasskeys = 10
const codeCount = 10

/**
 * Passkeys and recovery codes of a service whose users always have a password: the current password proves every change of
 * them. Throws `PasskeyError` and `AccountError`.
 */
export class SignInMethods<User extends MethodUser> {
  readonly #dependencies: SignInMethodDependencies<User>
  readonly #passkeys: Passkeys<User>
  readonly #codes: RecoveryCodes

  constructor(dependencies: SignInMethodDependencies<User>, policy: Omit<PasskeyPolicy, 'maxPerUser'>) {
    this.#dependencies = dependencies
    this.#passkeys = new Passkeys(dependencies, { ...policy, maxPerUser: maxPasskeys })
    this.#codes = createRecoveryCodes(dependencies.database.query, { count: codeCount })
  }

  async listPasskeys(userId: string): Promise<Passkey[]> {
    return (await this.#passkeys.list(userId)).map(passkeyOfRow)
  }

  /** Returns the options for the browser. The registration belongs to the caller's session. */
  async startRegistration(caller: MethodCaller, origin: string, proof: PasswordProof) {
    this.#passkeys.checkOrigin(origin)
    const user = await this.#prove(caller, proof)
    return { ...(await this.#passkeys.startRegistration(user, caller.key)) }
  }

  async finishRegistration(
    caller: MethodCaller,
    { credential, device_name = 'Passkey' }: { credential: NewCredential; device_name?: string | undefined },
    from: RequestOrigin,
  ): Promise<Passkey> {
    const registering = this.#passkeys.finishRegistration(caller, credential, device_name)
    const event = { kind: 'passkey_added', by: caller, from } as const
    const { securityLog } = this.#dependencies
    return passkeyOfRow(await securityLog.recordAfter(registering, ({ device_name: target }) => ({ ...event, target })))
  }

  async renamePasskey(userId: string, id: string, deviceName: string): Promise<Passkey> {
    return passkeyOfRow(await this.#passkeys.rename(userId, id, deviceName))
  }

  /** Removes a passkey, and returns those that are left. Ends the user's other sessions too: one may be on the device that is gone. */
  async removePasskey(caller: MethodCaller, id: string, proof: PasswordProof): Promise<Passkey[]> {
    await this.#prove(caller, proof)
    const removing = this.#passkeys.remove(caller.userId, id, () => Promise.resolve(true))
    const event = { kind: 'passkey_removed', by: caller, from: proof.from } as const
    await this.#dependencies.securityLog.recordAfter(removing, (target) => ({ ...event, target }))
    await this.#dependencies.endOtherSessions(caller)
    return this.listPasskeys(caller.userId)
  }

  /** Creates recovery codes in place of all there were. */
  async createCodes(caller: MethodCaller, proof: PasswordProof): Promise<string[]> {
    await this.#prove(caller, proof)
    const event = { kind: 'recovery_codes_created', by: caller, from: proof.from } as const
    return this.#dependencies.securityLog.recordAfter(this.#codes.create(caller.userId), event)
  }

  countCodes(userId: string): Promise<number> {
    return this.#codes.count(userId)
  }

  /**
   * Returns the options for the browser, for any passkey of the service.
   *
   * @param key of the browser in which it happens
   */
  startSignIn(key: string, origin: string): Promise<Record<string, unknown>> {
    this.#passkeys.checkOrigin(origin)
    return this.#passkeys.startSignIn(key)
  }

  /** Finds out whose passkey signed. */
  finishSignIn(credential: UsedCredential, key: string, from: RequestOrigin): Promise<User> {
    return this.#dependencies.securityLog.watch(this.#passkeys.finishSignIn(credential, key), { from })
  }

  /** Uses up a recovery code, and replaces the password when a new one comes with it. A refused password costs no code. */
  async signInByCode(recovery: PasswordRecovery, from: RequestOrigin): Promise<User> {
    const { username, recovery_code: code, new_password: password } = recovery
    const { securityLog, signInGuesses, findByName, replacePassword } = this.#dependencies
    if (password !== undefined) checkNewPassword(password, [username], 'new_password')
    const guesses = signInGuesses(username, from)
    const attempt = signIn({
      isByCode: true,
      throttle: guesses?.throttle,
      key: guesses?.key ?? '',
      find: () => findByName(username),
      // A disabled user does not use up a code.
      verify: (found) => this.#codes.use(found?.is_active === 1 ? found.id : undefined, code),
    })
    const user = await securityLog.watch(attempt, { from, username })
    if (password !== undefined && replacePassword !== undefined) {
      const by = { userId: user.id, username: user.username }
      await securityLog.recordAfter(replacePassword(user, password), { kind: 'password_changed', by, from })
    }
    return user
  }

  /** Checks the caller's password, for another change of who may sign in. Throws an `AccountError` when it is wrong. */
  async checkPassword(caller: MethodCaller, proof: PasswordProof): Promise<void> {
    await this.#prove(caller, proof)
  }

  async #prove(caller: MethodCaller, { password, from }: PasswordProof): Promise<User> {
    const { securityLog, findUser, ownGuesses } = this.#dependencies
    const user = await findUser(caller.userId)
    if (user === undefined) throw new HttpError({ kind: 'unauthenticated' })
    const check = checkCurrentPassword(user, password, ownGuesses(caller, from))
    await securityLog.watch(check, { from, username: caller.username })
    return user
  }
}
