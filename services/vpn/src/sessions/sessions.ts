import {
  createThrottle,
  endSessionsOf,
  isPasswordOf,
  replacePassword,
  type Session as StoredSession,
  type SessionOrigin,
  SessionStore,
  signIn,
  slidingWindow,
  type Throttle,
} from '@hearth/accounts'
import { describeOwnSessions, nameOfSession, type OwnSession } from '@hearth/accounts/own-sessions'
import { csrfTokenOf, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup, HttpError } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { SessionCaller } from '../access.ts'
import { notFound } from '../problems.ts'
import type { Tables, UserRow } from '../tables.ts'
import { userOfRow, usersIn } from '../users/users.ts'
import type { Session, SignIn } from './schema.ts'

/** Absolute session lifetime, milliseconds: 7 days, whatever the activity. */
const maxAge = 7 * 86_400_000

/** Five wrong passwords in 15 minutes, from one address or for one's own. */
const maxFailures = slidingWindow(5, 900)

export interface SessionDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Lifetime of an unused session, minutes; read at every use. */
  readonly timeoutMinutes: () => number
  /** Called with users whose open connections must end or start again. */
  readonly onAccessChanged: (userId: string) => void
  /** Called when a user changed the password that was generated for the first sign-in. */
  readonly onPasswordChanged: (user: UserRow) => Promise<void>
}

/** Sign-in by password and what follows from it. */
export class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #store: SessionStore
  /** Wrong passwords and recovery codes. */
  readonly throttle: Throttle

  constructor(dependencies: SessionDependencies) {
    const { database, clock, timeoutMinutes } = dependencies
    this.#dependencies = dependencies
    const maxIdle = () => timeoutMinutes() * 60_000
    this.#store = new SessionStore(database.query, clock, { owner: 'user_id', maxAge, maxIdle })
    this.throttle = createThrottle(maxFailures, clock)
  }

  /**
   * Opens a session; its key goes into the cookie. Throws the same error, in the same time, for a wrong name and for a wrong
   * password.
   */
  async signIn({ username, password, address, userAgent }: SignIn & SessionOrigin) {
    const user = await signIn({
      throttle: this.throttle,
      key: addressGroup(address),
      find: () => usersIn(this.#db).findByName(username.trim().toLowerCase()),
      verify: (found) => isPasswordOf(found, password),
    })
    return this.open(user, { address, userAgent })
  }

  /** Opens a session of a user who has proved who they are; its key goes into the cookie. */
  async open(user: UserRow, { address, userAgent }: SessionOrigin) {
    const login = { last_login_at: this.#dependencies.clock.now(), last_login_ip: address }
    await usersIn(this.#db).update(user.id, login)
    const { key, session } = await this.#store.open(user.id, {}, { address, userAgent })
    return { key, session: sessionOf(key, { session, user: { ...user, ...login } }) }
  }

  /** The caller behind a cookie; undefined when it is unknown or ran out. */
  async identify(key: string): Promise<SessionCaller | undefined> {
    const user = await this.#userOf(await this.#store.use(key))
    if (user === undefined) return undefined
    const via = { kind: 'session', key, passwordChangeRequired: user.password_change_required === 1 } as const
    return { userId: user.id, username: user.username, role: user.role, via }
  }

  /** Returns true if a session is still valid. Does not extend it. */
  async isUsable(key: string): Promise<boolean> {
    return (await this.#userOf(await this.#store.find(key))) !== undefined
  }

  async describe({ via }: SessionCaller): Promise<Session> {
    return sessionOf(via.key, await this.#required(via.key))
  }

  /** The caller's sessions, this one first. */
  async listOwn({ userId, via }: SessionCaller): Promise<OwnSession[]> {
    const current = await this.#store.find(via.key)
    return describeOwnSessions(await this.#store.listOf(userId), current?.keyHash)
  }

  /** Ends one of the caller's sessions, and returns its name. Throws when they have none with this id. */
  async endOwn({ userId }: SessionCaller, id: string): Promise<string> {
    const ended = await this.#store.endOwn(userId, id)
    if (ended === undefined) throw notFound(`session ${id}`)
    this.#dependencies.onAccessChanged(userId)
    return nameOfSession(ended)
  }

  async signOut({ userId, via }: SessionCaller): Promise<void> {
    await this.#store.end(via.key)
    this.#dependencies.onAccessChanged(userId)
  }

  /** Ends the user's other sessions; this one goes on. */
  async changePassword({ via }: SessionCaller, input: { current: string; next: string }): Promise<Session> {
    const { session, user } = await this.#required(via.key)
    const password_hash = await replacePassword(user, {
      ...input,
      names: [user.username, user.email],
      guesses: { throttle: this.throttle, key: `user ${user.id}` },
    })
    const values = { password_hash, password_change_required: 0 }
    await this.#db.transaction().execute(async (trx) => {
      await usersIn(trx).update(user.id, values)
      await endSessionsOf(trx, { owner: 'user_id', id: user.id, except: session.keyHash })
    })
    await this.#dependencies.onPasswordChanged(user)
    this.#dependencies.onAccessChanged(user.id)
    return sessionOf(via.key, { session, user: { ...user, ...values } })
  }

  /** Stores the password that replaces a lost one, and ends the user's sessions. */
  async replacePassword(user: UserRow, password: string): Promise<void> {
    const isSame = await isPasswordOf(user, password)
    const values = { password_hash: await hashPassword(password), ...(!isSame && { password_change_required: 0 }) }
    await this.#db.transaction().execute(async (trx) => {
      await usersIn(trx).update(user.id, values)
      await endSessionsOf(trx, { owner: 'user_id', id: user.id })
    })
    await this.#dependencies.onPasswordChanged(user)
    this.#dependencies.onAccessChanged(user.id)
  }

  async #userOf(session: StoredSession | undefined): Promise<UserRow | undefined> {
    const user = session === undefined ? undefined : await usersIn(this.#db).find(session.userId)
    return user?.is_active === 1 ? user : undefined
  }

  async #required(key: string): Promise<{ session: StoredSession; user: UserRow }> {
    const session = await this.#store.find(key)
    const user = await this.#userOf(session)
    if (session === undefined || user === undefined) throw new HttpError({ kind: 'unauthenticated' })
    return { session, user }
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** The wire form of a session. */
function sessionOf(key: string, { session, user }: { session: StoredSession; user: UserRow }): Session {
  return {
    user: userOfRow(user),
    csrf_token: csrfTokenOf(key),
    expires_at: new Date(session.endsAt).toISOString(),
    password_change_required: user.password_change_required === 1,
  }
}
