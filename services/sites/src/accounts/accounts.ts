import { createRecoveryCodes, type Attempts, type SecurityLogRetention, type SetUpToken } from '@hearth/accounts'
import { SecurityLog } from '@hearth/accounts/security-log'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { AccountTables } from './tables.ts'
import { toError } from '../problems.ts'
import { Sessions } from './sessions.ts'
import { PasswordSignIn } from './sign-in.ts'
import { Users, usersIn } from './users.ts'
import { createVisitorKeys } from './visitor-keys.ts'

/** Users, sessions and sign-in methods. */
export type Accounts = ReturnType<typeof createAccounts>

export interface AccountDependencies {
  readonly database: Database<AccountTables>
  readonly clock: Clock
  readonly log: Log
  /** Key of the service. */
  readonly secret: Uint8Array
  /** Relying party ID of passkeys: a domain name. */
  readonly relyingPartyId: string
  readonly attempts: Attempts
  readonly setUpToken: SetUpToken
  /** How long the security log is kept. */
  readonly retention: SecurityLogRetention
  readonly hasApiTokens: boolean
  /** Called with the key of each session that ends, and with each user whose access changes. */
  readonly onSessionEnded: (key: string) => void
  readonly onAccessChanged: (userId: string) => void
  /** Called after each change of a user, and awaited. */
  readonly onChanged: () => Promise<void>
}

/** Creates users, sessions and sign-in on one database. Ten recovery codes are issued per user. */
export function createAccounts(dependencies: AccountDependencies) {
  const { database, clock, attempts, setUpToken, relyingPartyId, onAccessChanged, onChanged } = dependencies
  const db = database.query
  const securityLog = new SecurityLog({
    ...dependencies,
    query: db,
    findUser: (name) => usersIn(db).findActor(name),
    statusOf: (error) => toError(error).status,
  })
  const recoveryCodes = createRecoveryCodes(db, { count: 10 })
  const sessions = new Sessions({
    db,
    clock,
    recoveryCodes,
    securityLog,
    hasApiTokens: dependencies.hasApiTokens,
    onEnded: dependencies.onSessionEnded,
    onAccessChanged,
    onChanged,
  })
  return {
    users: new Users({ database, clock, onAccessChanged, onChanged }),
    sessions,
    passwords: new PasswordSignIn({ database, relyingPartyId, clock, sessions, attempts, recoveryCodes, securityLog }),
    recoveryCodes,
    visitors: createVisitorKeys(dependencies.secret, clock),
    securityLog,
    setUpToken,
  }
}
