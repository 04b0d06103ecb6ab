import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Accounts } from '../accounts/accounts.ts'
import type { Tables } from '../database/tables.ts'
import type { Challenges } from './challenges.ts'
import type { RelyingParty } from './relying-party.ts'

/** Kinds of keys a passkey may have, as COSE numbers them: EdDSA, ES256, RS256. */
export const keyKinds = [-8, -7, -257]

/** What the ceremonies are made of. */
export interface PasskeyParts extends Pick<Accounts, 'sessions' | 'securityLog' | 'passwords'> {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly challenges: Challenges
  readonly relyingParty: RelyingParty
  /** The port the service listens on. */
  readonly port: () => number
}
