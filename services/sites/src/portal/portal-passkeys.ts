import { Passkeys } from '@hearth/accounts/passkeys'
import { passkeyOfRow } from '@hearth/accounts/passkey-schema'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { AccountTables, UserRow } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import { notFound } from '../problems.ts'

interface PortalPasskeyDependencies {
  readonly database: Database<AccountTables>
  readonly clock: Clock
  readonly log: Log
}

const maxPerUser = 10

/** Passkeys of visitors, which belong to the host name of the portal. */
export class PortalPasskeys {
  readonly #dependencies: PortalPasskeyDependencies
  #known: { readonly authority: string; readonly passkeys: Passkeys<UserRow> } | undefined

  constructor(dependencies: PortalPasskeyDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the passkeys of the portal as a visitor reaches it. */
  at(authority: string): Passkeys<UserRow> {
    if (this.#known?.authority === authority) return this.#known.passkeys
    const { database } = this.#dependencies
    const origin = new URL(`https://${authority}`)
    const passkeys = new Passkeys<UserRow>(
      { ...this.#dependencies, findUser: (id) => usersIn(database.query).find(id) },
      { serviceName: 'Sites', rpId: origin.hostname, origins: () => [origin.origin], maxPerUser },
    )
    this.#known = { authority, passkeys }
    return passkeys
  }

  /** Returns the user of a session. Throws a problem for one that was deleted meanwhile. */
  async findUser(id: string): Promise<UserRow> {
    const user = await usersIn(this.#dependencies.database.query).find(id)
    if (user === undefined) throw notFound('user')
    return user
  }

  /** Lists the passkeys of a user that work at the portal. */
  async list(userId: string, authority: string) {
    const rows = await this.at(authority).list(userId)
    return rows.filter((row) => row.rp_id === new URL(`https://${authority}`).hostname).map(passkeyOfRow)
  }

  /** Removes a passkey of a user; the last way to sign in stays. Returns its name. */
  remove(userId: string, id: string, authority: string): Promise<string> {
    return this.at(authority).remove(userId, id, async (trx) => {
      const user = await usersIn(trx).find(userId)
      return user !== undefined && user.password_hash !== null
    })
  }
}
