import { createThrottle, isPasswordOf, replacePassword, signIn, slidingWindow, type Throttle } from '@hearth/accounts'
import { createSessionKey, csrfTokenOf, hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup, Fault } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { Caller, SessionCaller } from '../access.ts'
import type { SessionRow, Tables, UserRow } from '../database/tables.ts'
import { deleteSessionsOfUser, findUserRowByName, updateUserRow } from '../users/store.ts'
import { userOfRow } from '../users/users.ts'
import type { Session } from './schema.ts'
import * as store from './store.ts'

/** However busy, a session ends after a week. */
const longestSession = 7 * 86_400_000

/** How often the last use is written down, milliseconds. */
const useResolution = 60_000

/** Five wrong passwords in 15 minutes, from one address or for one's own. */
const maxFailures = slidingWindow(5, 900)

/** A session with the key that goes into the cookie. */
export interface OpenSession {
  readonly key: string
  readonly session: Session
}

/** Sign-in by password and what follows from it. */
export interface Sessions {
  /** Throws the same error, in the same time, for a wrong name and for a wrong password. */
  signIn(input: { username: string; password: string; address: string }): Promise<OpenSession>
  /** The caller behind a cookie; undefined when it is unknown or ran out. */
  identify(key: string): Promise<SessionCaller | undefined>
  /** Whether a session that was good a moment ago still is; asking does not prolong it. */
  isUsable(key: string): Promise<boolean>
  describe(caller: SessionCaller): Promise<Session>
  signOut(caller: SessionCaller): Promise<void>
  /** Ends the user's other sessions; this one goes on. */
  changePassword(caller: SessionCaller, input: { current: string; next: string }): Promise<Session>
}

export interface SessionParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** How long an unused session lasts, minutes; read at every use. */
  readonly timeoutMinutes: () => number
  /** Hears of users whose open connections must end, or begin anew. */
  readonly onAccessChanged: (userId: string) => void
  /** Called when a user changed the password that was generated for the first sign-in. */
  readonly onPasswordChanged: (user: UserRow) => Promise<void>
}

export function createSessions(parts: SessionParts): Sessions {
  return new PasswordSessions(parts)
}

class PasswordSessions implements Sessions {
  readonly #parts: SessionParts
  readonly #throttle: Throttle

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#throttle = createThrottle(maxFailures, parts.clock)
  }

  async signIn({
    username,
    password,
    address,
  }: {
    username: string
    password: string
    address: string
  }): Promise<OpenSession> {
    const user = await signIn({
      throttle: this.#throttle,
      key: addressGroup(address),
      find: () => findUserRowByName(this.#db, username.trim().toLowerCase()),
      verify: (found) => isPasswordOf(found, password),
    })
    const now = this.#parts.clock.now()
    await updateUserRow(this.#db, user.id, { last_login_at: now, last_login_ip: address })
    await store.deleteStaleSessions(this.#db, { lastUsed: now - this.#timeout, created: now - longestSession })
    return this.#open({ ...user, last_login_at: now, last_login_ip: address })
  }

  async identify(key: string): Promise<SessionCaller | undefined> {
    const found = await store.findSession(this.#db, hashToken(key))
    const now = this.#parts.clock.now()
    if (found === undefined || !this.#isValid(found, now)) return undefined
    if (now - found.session.last_used_at > useResolution)
      await store.touchSession(this.#db, found.session.key_hash, now)
    const { user } = found
    const via = { kind: 'session', key, passwordChangeRequired: user.password_change_required === 1 } as const
    return { userId: user.id, username: user.username, role: user.role, via }
  }

  async isUsable(key: string): Promise<boolean> {
    const found = await store.findSession(this.#db, hashToken(key))
    return found !== undefined && this.#isValid(found, this.#parts.clock.now())
  }

  async describe(caller: SessionCaller): Promise<Session> {
    const found = await store.findSession(this.#db, hashToken(caller.via.key))
    if (found === undefined) throw new Fault({ kind: 'unauthenticated' })
    return this.#describe(caller.via.key, found.user, found.session)
  }

  async signOut(caller: Caller): Promise<void> {
    if (caller.via.kind === 'session') await store.deleteSessionRow(this.#db, hashToken(caller.via.key))
    this.#parts.onAccessChanged(caller.userId)
  }

  async changePassword(caller: SessionCaller, input: { current: string; next: string }): Promise<Session> {
    const found = await store.findSession(this.#db, hashToken(caller.via.key))
    if (found === undefined) throw new Fault({ kind: 'unauthenticated' })
    const { user } = found
    const password_hash = await replacePassword(user, {
      ...input,
      names: [user.username, user.email],
      guesses: { throttle: this.#throttle, key: `user ${user.id}` },
    })
    const values = { password_hash, password_change_required: 0 }
    await this.#db.transaction().execute(async (trx) => {
      await updateUserRow(trx, user.id, values)
      await deleteSessionsOfUser(trx, user.id, found.session.key_hash)
    })
    await this.#parts.onPasswordChanged(user)
    this.#parts.onAccessChanged(user.id)
    return this.#describe(caller.via.key, { ...user, ...values }, found.session)
  }

  async #open(user: UserRow): Promise<OpenSession> {
    const key = createSessionKey()
    const now = this.#parts.clock.now()
    const row: SessionRow = { key_hash: hashToken(key), user_id: user.id, created_at: now, last_used_at: now }
    await store.insertSessionRow(this.#db, row)
    return { key, session: this.#describe(key, user, row) }
  }

  #describe(key: string, user: UserRow, session: SessionRow): Session {
    return {
      user: userOfRow(user),
      csrf_token: csrfTokenOf(key),
      expires_at: new Date(this.#endOf(session)).toISOString(),
      password_change_required: user.password_change_required === 1,
    }
  }

  #isValid({ user, session }: store.SessionWithUser, now: number): boolean {
    return user.is_active === 1 && this.#endOf(session) > now
  }

  #endOf(session: SessionRow): number {
    return Math.min(session.last_used_at + this.#timeout, session.created_at + longestSession)
  }

  get #timeout(): number {
    return this.#parts.timeoutMinutes() * 60_000
  }

  get #db() {
    return this.#parts.database.query
  }
}
