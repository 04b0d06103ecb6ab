import { createSecurityLog, type Attempts, type SecurityLog, type SetUpToken } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { Sessions } from './sessions.ts'
import { PasswordSignIn } from './sign-in.ts'
import { Users } from './users.ts'
import { createVisitorKeys, type VisitorKeys } from './ways-in.ts'

/** Everything about who may come in. */
export interface Accounts {
  readonly users: Users
  readonly sessions: Sessions
  readonly passwords: PasswordSignIn
  readonly visitors: VisitorKeys
  readonly securityLog: SecurityLog
  readonly setUpToken: SetUpToken
}

export interface AccountParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  /** The service's key. */
  readonly secret: Uint8Array
  /** The name passkeys belong to. */
  readonly relyingPartyId: string
  readonly attempts: Attempts
  readonly setUpToken: SetUpToken
  /** Hears of the keys of sessions that ended, and of users all of whose sessions did. */
  readonly onSessionEnded: (key: string) => void
  readonly onAccessChanged: (userId: string) => void
}

export function createAccounts(parts: AccountParts): Accounts {
  const { database, clock, attempts, setUpToken, relyingPartyId } = parts
  const db = database.query
  const securityLog = createSecurityLog(parts.log)
  const sessions = new Sessions({
    db,
    clock,
    onEnded: parts.onSessionEnded,
    onAccessChanged: parts.onAccessChanged,
  })
  return {
    users: new Users({ database, clock, onAccessChanged: parts.onAccessChanged }),
    sessions,
    passwords: new PasswordSignIn({ database, relyingPartyId, clock, sessions, attempts, securityLog }),
    visitors: createVisitorKeys(parts.secret, clock),
    securityLog,
    setUpToken,
  }
}
