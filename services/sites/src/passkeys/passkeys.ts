import type { RequestOrigin } from '@hearth/accounts'
import { Passkeys } from '@hearth/accounts/passkeys'
import { passkeyOfRow, type NewCredential, type Passkey, type UsedCredential } from '@hearth/accounts/passkey-schema'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import { isRecent, reauthenticationRequired, type SessionCaller } from '../access.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { OpenSession, Origin } from '../accounts/sessions.ts'
import { usersIn } from '../accounts/users.ts'
import type { Config } from '../config.ts'
import type { AccountTables, UserRow } from '../accounts/tables.ts'

/** Parts of the service that signing in with a passkey uses. */
export interface PasskeyDependencies extends Pick<Accounts, 'sessions' | 'securityLog' | 'passwords'> {
  readonly database: Database<AccountTables>
  readonly clock: Clock
  readonly log: Log
  readonly relyingParty: Config['relyingParty']
  /** The port the service listens on. */
  readonly port: () => number
}

/** The rules of this service about passkeys: what must be proved before, and which sessions end after. */
export class SitePasskeys {
  readonly #dependencies: PasskeyDependencies
  readonly #passkeys: Passkeys<UserRow>

  constructor(dependencies: PasskeyDependencies) {
    const { database, relyingParty, port } = dependencies
    this.#dependencies = dependencies
    this.#passkeys = new Passkeys(
      { ...dependencies, findUser: (id) => usersIn(database.query).find(id) },
      {
        serviceName: 'Hearth Sites',
        rpId: relyingParty.id,
        origins: () => relyingParty.origins(port()),
        maxPerUser: 10,
      },
    )
  }

  async list(userId: string): Promise<Passkey[]> {
    return (await this.#passkeys.list(userId)).map(passkeyOfRow)
  }

  /** Needs the password, unless the caller re-authenticated in the last five minutes. */
  async startRegistration(
    caller: SessionCaller,
    request: { readonly origin: string; readonly password: string | undefined; readonly from: RequestOrigin },
  ) {
    const { clock, passwords, sessions } = this.#dependencies
    this.#passkeys.checkOrigin(request.origin)
    if (request.password !== undefined) await passwords.checkOwnPassword(caller, request.password, request.from)
    else if (!isRecent(caller, clock.now())) throw reauthenticationRequired()
    return this.#passkeys.startRegistration(await sessions.userOf(caller.key), caller.key)
  }

  async finishRegistration(caller: SessionCaller, credential: NewCredential, deviceName = 'Passkey') {
    return passkeyOfRow(await this.#passkeys.finishRegistration(caller, credential, deviceName))
  }

  async rename(userId: string, id: string, deviceName: string): Promise<Passkey> {
    return passkeyOfRow(await this.#passkeys.rename(userId, id, deviceName))
  }

  /** Removes a passkey, and returns its name. Ends the user's other sessions too: one may be on the device that is gone. */
  async remove(caller: SessionCaller, id: string): Promise<string> {
    const name = await this.#passkeys.remove(caller.userId, id, async (trx) => {
      const user = await usersIn(trx).find(caller.userId)
      return user !== undefined && user.password_hash !== null
    })
    await this.#dependencies.sessions.endOthers(caller.key)
    return name
  }

  /** @param key of the session or the visitor in whose browser it happens */
  startSignIn(key: string, origin: string): Promise<Record<string, unknown>> {
    this.#passkeys.checkOrigin(origin)
    return this.#passkeys.startSignIn(key)
  }

  async finishSignIn(credential: UsedCredential, key: string, origin: Origin): Promise<OpenSession> {
    const { securityLog, sessions } = this.#dependencies
    const user = await securityLog.watch(this.#passkeys.finishSignIn(credential, key), { from: origin })
    return sessions.open(user, 'passkey', origin)
  }
}
