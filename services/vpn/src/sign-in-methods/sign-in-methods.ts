import { type AnyQuery, endSessionsOf } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { type MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { Config } from '../config.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Tables, UserRow } from '../tables.ts'
import { usersIn } from '../users/users.ts'

/** A user with the name that authenticators know. */
export type PasskeyHolder = UserRow & MethodUser

/** Parts of the service that passkeys and recovery codes use. */
export interface SignInMethodContext {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly relyingParty: Config['relyingParty']
  /** The port the service listens on. */
  readonly port: () => number
  /** Called with users whose open connections must end or start again. */
  readonly onAccessChanged: (userId: string) => void
}

/** Creates passkeys and recovery codes of the users. Wrong guesses count as those of passwords do. */
export function createSignInMethods(context: SignInMethodContext): SignInMethods<PasskeyHolder> {
  const { database, sessions, relyingParty, port } = context
  const users = usersIn(database.query)
  return new SignInMethods<PasskeyHolder>(
    {
      ...context,
      findUser: async (id) => holderOf(await users.find(id)),
      findByName: async (name) => holderOf(await users.findByName(name.trim().toLowerCase())),
      signInGuesses: (_name, { address }) => ({ throttle: sessions.throttle, key: addressGroup(address) }),
      ownGuesses: ({ userId }) => ({ throttle: sessions.throttle, key: `user ${userId}` }),
      replacePassword: (user, password) => sessions.replacePassword(user, password),
      async endOtherSessions({ userId, key }) {
        await endOthers(database.query, userId, key)
        context.onAccessChanged(userId)
      },
    },
    { serviceName: 'Hearth VPN', rpId: relyingParty.id, origins: () => relyingParty.origins(port()) },
  )
}

const endOthers = (query: AnyQuery, id: string, key: string) =>
  endSessionsOf(query, { owner: 'user_id', id, except: hashToken(key) })

/** The id of a user is random, so its bytes are a good name towards authenticators. */
function holderOf(user: UserRow | undefined): PasskeyHolder | undefined {
  return user && { ...user, user_handle: Buffer.from(user.id.replaceAll('-', ''), 'hex').toString('base64url') }
}
