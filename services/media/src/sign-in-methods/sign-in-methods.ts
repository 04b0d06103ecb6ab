import { createHmac } from 'node:crypto'
import { deletePasskeysOf, deleteRecoveryCodesOf, deleteTokensOf, endSessionsOf, type AnyQuery } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { SignInMethods, type MethodUser } from '@hearth/accounts/sign-in-methods'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Sessions } from '../accounts/sessions.ts'
import type { Config } from '../config.ts'
import { accountActor } from '../security-log/event-origin.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Tables } from '../tables.ts'

/** Parts of the service that passkeys and recovery codes use. */
export interface SignInMethodContext {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly settings: SettingsStore
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly relyingParty: Config['relyingParty']
  /** Key from which the account's name towards authenticators is derived. */
  readonly secret: Uint8Array
  /** The port the service listens on. */
  readonly port: () => number
}

/** Creates passkeys and recovery codes of the account. Wrong guesses count as those of its password do. */
export function createSignInMethods(context: SignInMethodContext): SignInMethods<MethodUser> {
  const { database, sessions, relyingParty, port } = context
  const find = () => readAccount(context)
  const guessesFor = (username: string) => ({ throttle: sessions.throttle, key: username })
  return new SignInMethods<MethodUser>(
    {
      ...context,
      async findUser(id) {
        const account = await find()
        return account?.id === id ? account : undefined
      },
      async findByName(username) {
        const account = await find()
        return account?.username === username ? account : undefined
      },
      signInGuesses: guessesFor,
      ownGuesses: ({ username }) => guessesFor(username),
      endOtherSessions: ({ username, key }) =>
        endSessionsOf(database.query, { owner: 'username', id: username, except: hashToken(key) }),
    },
    { serviceName: 'Hearth Media', rpId: relyingParty.id, origins: () => relyingParty.origins(port()) },
  )
}

/** Deletes passkeys, recovery codes and tokens, when the account gets another name or password; within the transaction that stores it. */
export async function deleteSignInMethods(trx: AnyQuery): Promise<void> {
  const { userId } = accountActor('')
  await deletePasskeysOf(trx, userId)
  await deleteRecoveryCodesOf(trx, userId)
  await deleteTokensOf(trx, userId)
}

/** The account; undefined when none was set up. */
async function readAccount({ settings, secret }: SignInMethodContext): Promise<MethodUser | undefined> {
  // The command line, or another process, may have set it.
  await settings.refresh()
  const username = settings.internal('admin_username')
  const password_hash = settings.internal('admin_password_hash')
  if (username === undefined || password_hash === undefined) return undefined
  const user_handle = createHmac('sha256', secret).update(username).digest('base64url')
  return { id: accountActor(username).userId, username, password_hash, user_handle, is_active: 1 }
}
