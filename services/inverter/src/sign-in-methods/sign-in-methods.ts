import { endSessionsOf, type Throttle } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { SignInMethods, type MethodUser } from '@hearth/accounts/sign-in-methods'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup, type AddressSet } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { Sessions } from '../accounts/sessions.ts'
import { findAdministrator } from '../accounts/store.ts'
import type { Config } from '../config.ts'
import type { AdministratorRow, Tables } from '../tables.ts'

/** Parts of the service that passkeys and recovery codes use. */
export interface SignInMethodContext {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly relyingParty: Config['relyingParty']
  /** Wrong passwords and recovery codes. */
  readonly throttle: Throttle
  /** Addresses that may try as often as they like. */
  readonly exempt: AddressSet
  /** The port the service listens on. */
  readonly port: () => number
  /** Ends the open streams of everyone who may have lost access. */
  readonly onAccessChanged: () => void
}

/** Creates passkeys and recovery codes of the administrator. Wrong guesses count as those of passwords do. */
export function createSignInMethods(context: SignInMethodContext): SignInMethods<MethodUser> {
  const { database, sessions, relyingParty, throttle, exempt, port, onAccessChanged } = context
  const find = async (name: string) => userOf(await findAdministrator(database.query, name.trim().toLowerCase()))
  const guessesFrom = (address: string) => (exempt.has(address) ? undefined : { throttle, key: addressGroup(address) })
  return new SignInMethods<MethodUser>(
    {
      ...context,
      findUser: find,
      findByName: find,
      signInGuesses: (_name, { address }) => guessesFrom(address),
      ownGuesses: (_caller, { address }) => guessesFrom(address),
      replacePassword: ({ username }, password) => sessions.replacePassword(username, password),
      async endOtherSessions({ userId, key }) {
        await endSessionsOf(database.query, { owner: 'username', id: userId, except: hashToken(key) })
        onAccessChanged()
      },
    },
    { serviceName: 'Hearth Inverter', rpId: relyingParty.id, origins: () => relyingParty.origins(port()) },
  )
}

const userOf = (account: AdministratorRow | undefined): MethodUser | undefined =>
  account && { ...account, id: account.username, is_active: 1 }
