import { randomBytes } from 'node:crypto'
import {
  deletePasskeysOf,
  deleteRecoveryCodesOf,
  endSessionsOf,
  forgetInitialPassword,
  isPasswordOf,
  replacePassword,
  SessionStore,
  signIn,
  type Actor,
  type Session as StoredSession,
  type SessionOrigin,
  type Throttle,
  createWithInitialPassword,
  generatePassword,
  pendingInitialPassword,
} from '@hearth/accounts'
import { describeOwnSessions, nameOfSession, type OwnSession } from '@hearth/accounts/own-sessions'
import { csrfTokenOf, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup, type AddressSet } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { AdministratorRow, SessionColumns, Tables } from '../tables.ts'
import { Problem } from '../problems.ts'
import type { Session } from './schema.ts'
import * as store from './store.ts'

/** A session lasts twelve hours, milliseconds. */
const maxAge = 12 * 3_600_000

interface SessionDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly dataDirectory: string
  readonly throttle: Throttle
  /** Addresses that may try as often as they like. */
  readonly exempt: AddressSet
  /** Ends the open streams of everyone who may have lost access. */
  readonly onAccessChanged: () => void
}

type OwnedSession = StoredSession<SessionColumns>

/** Sign-in of the administrator with a browser. */
export class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #store: SessionStore<SessionColumns>

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    const { database, clock } = dependencies
    this.#store = new SessionStore(database.query, clock, { owner: 'username', maxAge })
  }

  /** Throws the same error, in the same time, for a wrong name and for a wrong password. */
  async signIn({ username, password, address, userAgent }: { username: string; password: string } & SessionOrigin) {
    const { throttle, exempt } = this.#dependencies
    const account = await signIn({
      throttle: exempt.has(address) ? undefined : throttle,
      key: addressGroup(address),
      find: () => store.findAdministrator(this.#db, username.trim().toLowerCase()),
      verify: (found) => isPasswordOf(found, password),
    })
    return this.open(account.username, { address, userAgent })
  }

  /** Opens a session of an administrator who proved who they are. */
  async open(
    username: string,
    { address, userAgent }: SessionOrigin,
    method: SessionColumns['method'] = null,
  ): Promise<{ key: string; session: Session }> {
    const { key } = await this.#store.open(username, { method }, { address, userAgent })
    return { key, session: await this.describe(key) }
  }

  async identify(key: string): Promise<Caller | undefined> {
    const session = await this.#store.use(key)
    const account = await this.#accountOf(session)
    if (session === undefined || account === undefined) return undefined
    const passwordChangeRequired = mustChangePassword({ session, account })
    return { name: account.username, via: { kind: 'session', key, passwordChangeRequired } }
  }

  async describe(key: string): Promise<Session> {
    return sessionOf(key, await this.#required(key))
  }

  /** The sessions of this session's user, this one first. */
  async listOwn(key: string): Promise<OwnSession[]> {
    const { session, account } = await this.#required(key)
    return describeOwnSessions(await this.#store.listOf(account.username), session.keyHash)
  }

  /** Ends one of the sessions of this session's user, and returns its name. Throws when they have none with this id. */
  async endOwn(key: string, id: string): Promise<string> {
    const { account } = await this.#required(key)
    const ended = await this.#store.endOwn(account.username, id)
    if (ended === undefined) throw new Problem('not_found', `There is no session ${id}`)
    this.#dependencies.onAccessChanged()
    return nameOfSession(ended)
  }

  async signOut(key: string): Promise<void> {
    await this.#store.end(key)
    this.#dependencies.onAccessChanged()
  }

  /** Ends the other sessions; this one goes on. The file of the generated password goes. */
  async changePassword(key: string, change: { current: string; next: string }): Promise<Session> {
    const { session, account } = await this.#required(key)
    const password_hash = await replacePassword(account, { ...change, names: [administrator] })
    const values = { password_hash, password_change_required: 0 }
    await this.#db.transaction().execute(async (trx) => {
      await store.updateAdministrator(trx, account.username, values)
      await endSessionsOf(trx, { owner: 'username', id: account.username, except: session.keyHash })
    })
    await forgetInitialPassword(this.#dependencies.dataDirectory)
    this.#dependencies.onAccessChanged()
    return sessionOf(key, { session, account: { ...account, ...values } })
  }

  /** Stores the password that replaces a lost one, and ends the sessions. The file of the generated password goes. */
  async replacePassword(username: string, password: string): Promise<void> {
    const account = await store.findAdministrator(this.#db, username)
    const isSame = await isPasswordOf(account, password)
    const values = { password_hash: await hashPassword(password), ...(!isSame && { password_change_required: 0 }) }
    await this.#db.transaction().execute(async (trx) => {
      await store.updateAdministrator(trx, username, values)
      await endSessionsOf(trx, { owner: 'username', id: username })
    })
    await forgetInitialPassword(this.#dependencies.dataDirectory)
    this.#dependencies.onAccessChanged()
  }

  async #accountOf(session: OwnedSession | undefined): Promise<AdministratorRow | undefined> {
    return session === undefined ? undefined : store.findAdministrator(this.#db, session.userId)
  }

  async #required(key: string): Promise<{ session: OwnedSession; account: AdministratorRow }> {
    const session = await this.#store.find(key)
    const account = await this.#accountOf(session)
    if (session === undefined || account === undefined)
      throw new Problem('sign_in_required', 'The session ended; sign in again')
    return { session, account }
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** The wire form of a session. */
function sessionOf(key: string, { session, account }: { session: OwnedSession; account: AdministratorRow }): Session {
  return {
    user: { id: administrator, username: administrator, role: 'admin' },
    csrf_token: csrfTokenOf(key),
    expires_at: new Date(session.endsAt).toISOString(),
    password_change_required: mustChangePassword({ session, account }),
  }
}

/** The generated password is nothing to those who came through a provider. */
function mustChangePassword({ session, account }: { session: OwnedSession; account: AdministratorRow }): boolean {
  return account.password_change_required === 1 && session.extra.method !== 'openid'
}

/** The administrator's name. */
export const administrator = 'admin'

/** Creates the administrator with a generated password on the first start; later starts change nothing. */
export async function createAdministrator(database: Database<Tables>, dataDirectory: string): Promise<void> {
  if ((await store.findAdministrator(database.query, administrator)) !== undefined) return
  await createWithInitialPassword(database, dataDirectory, (trx, values) =>
    store.insertAdministratorIfNew(trx, {
      username: administrator,
      user_handle: randomBytes(32).toString('base64url'),
      ...values,
    }),
  )
}

/** Returns the generated password until it is changed, so that every start can show it. */
export async function pendingPassword(database: Database<Tables>, dataDirectory: string): Promise<string | undefined> {
  return pendingInitialPassword(dataDirectory, await store.findAdministrator(database.query, administrator))
}

/** The administrator, when somebody typed that name; for the security log. */
export function findActor(typed: string): Actor | undefined {
  return typed.trim().toLowerCase() === administrator ? { userId: administrator, username: administrator } : undefined
}

/** Gives the administrator a new generated password that must be changed, takes passkeys and recovery codes away and ends the sessions. */
export async function resetPassword(database: Database<Tables>, dataDirectory: string): Promise<string> {
  const { password, values } = await generatePassword()
  await database.query.transaction().execute(async (trx) => {
    await store.updateAdministrator(trx, administrator, values)
    await deletePasskeysOf(trx, administrator)
    await deleteRecoveryCodesOf(trx, administrator)
    await endSessionsOf(trx, { owner: 'username', id: administrator })
  })
  await forgetInitialPassword(dataDirectory)
  return password
}
