import {
  countPasskeysOf,
  endSessionsOf,
  SessionStore,
  type RecoveryCodes,
  type Session as StoredSession,
  type SessionOrigin,
} from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { describeOwnSessions, nameOfSession, type OwnSession } from '@hearth/accounts/own-sessions'
import { csrfTokenOf } from '@hearth/credentials'
import { HttpError } from '@hearth/http'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isRecent, recentFor } from '../access.ts'
import { forbidden, notFound } from '../problems.ts'
import type { Proof, ProofMethod, AccountTables, UserRow } from './tables.ts'
import { endPortalSessionsOf } from './portal-session-store.ts'
import { usersIn } from './users.ts'
import type { Role, Session } from './schema.ts'
import { maxSessionAge } from './session-cookie.ts'

/** Time after which an unused session ends, milliseconds. */
const maxIdle = 3_600_000

const policy = { owner: 'user_id', maxAge: maxSessionAge, maxIdle: () => maxIdle, maxPerUser: 50 } as const

/** A valid session: its user, and when they last proved who they are. */
export interface ProvenSession {
  readonly userId: string
  readonly username: string
  readonly role: Role
  readonly passwordChangeRequired: boolean
  /** Milliseconds since the epoch. */
  readonly provedAt: number
  readonly provedBy: ProofMethod
}

/** A session with the key that goes into the cookie. */
export interface OpenSession {
  readonly key: string
  readonly session: Session
}

/** Origin of a sign-in, and its session. */
export interface Origin extends SessionOrigin {
  /** Key of the session the caller already has. */
  readonly before: string | undefined
}

export interface SessionDependencies {
  readonly db: Kysely<AccountTables>
  readonly clock: Clock
  readonly recoveryCodes: RecoveryCodes
  readonly securityLog: SecurityLog
  readonly hasApiTokens: boolean
  /** Called with the key of each session that ended. */
  readonly onEnded: (key: string) => void
  /** Called with each user some of whose sessions ended. */
  readonly onAccessChanged: (userId: string) => void
  /** Called after sessions at protected sites ended too, and awaited. */
  readonly onChanged: () => Promise<void>
}

/** A valid session and its user. */
interface Found {
  readonly user: UserRow
  readonly session: StoredSession<Proof>
}

/** Sessions of signed-in users. Of the key in the cookie only the hash is stored. */
export class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #store: SessionStore<Proof>

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    this.#store = new SessionStore(dependencies.db, dependencies.clock, policy)
  }

  /** Opens a session and ends the one the caller had before. */
  async open(user: UserRow, method: ProofMethod | 'set_up_token', origin: Origin): Promise<OpenSession> {
    checkServiceUser(user)
    const { before } = origin
    if (before !== undefined) await this.end(before)
    await usersIn(this.#db).update(user.id, { last_login_at: this.#dependencies.clock.now() })
    const proof = this.#proofBy(method === 'set_up_token' ? 'password' : method)
    const { key } = await this.#store.open(user.id, proof, origin)
    const by = { userId: user.id, username: user.username }
    await this.#dependencies.securityLog.record({ kind: 'sign_in', by, from: origin, method })
    return { key, session: await this.describe(key) }
  }

  /** Gives a session another key after its user proved once more who they are. Ends the user's others with `alone`. */
  async renew(key: string, method: ProofMethod, options = { alone: false }): Promise<OpenSession> {
    await this.#required(key)
    const next = await this.#store.renew(key, this.#proofBy(method))
    if (next === undefined) throw new HttpError({ kind: 'unauthenticated' })
    this.#dependencies.onEnded(key)
    if (options.alone) await this.endOthers(next)
    return { key: next, session: await this.describe(next) }
  }

  /** Returns the user of a session; undefined when it is unknown or has expired. Counts as use. */
  async identify(key: string): Promise<ProvenSession | undefined> {
    return provenSession(await this.#withUser(await this.#store.use(key)))
  }

  /** As `identify`, without prolonging it. */
  async peek(key: string): Promise<ProvenSession | undefined> {
    return provenSession(await this.#withUser(await this.#store.find(key)))
  }

  async describe(key: string): Promise<Session> {
    const { user, session } = await this.#required(key)
    const passkeys = await countPasskeysOf(this.#db, [user.id])
    const isProved = isRecent({ provedAt: session.extra.proved_at }, this.#dependencies.clock.now())
    return {
      user: { id: user.id, username: user.username, role: user.role },
      csrf_token: csrfTokenOf(key),
      expires_at: new Date(session.endsAt).toISOString(),
      recent_until: isProved ? toIsoString(session.extra.proved_at + recentFor) : null,
      password_change_required: user.password_change_required === 1,
      has_password: user.password_hash !== null,
      passkeys: passkeys.get(user.id) ?? 0,
      recovery_codes_left: await this.#dependencies.recoveryCodes.count(user.id),
      ...(this.#dependencies.hasApiTokens && { api_tokens: true as const }),
    }
  }

  /** Returns the user of a session. Throws when it ended meanwhile. */
  async userOf(key: string): Promise<UserRow> {
    return (await this.#required(key)).user
  }

  /** The sessions of this session's user, this one first. */
  async listOwn(key: string): Promise<OwnSession[]> {
    const { user, session } = await this.#required(key)
    return describeOwnSessions(await this.#store.listOf(user.id), session.keyHash)
  }

  /** Ends one of the user's sessions, and returns its name. Throws when they have none with this id. */
  async endOwn(userId: string, id: string): Promise<string> {
    const ended = await this.#store.endOwn(userId, id)
    if (ended === undefined) throw notFound('session')
    this.#dependencies.onAccessChanged(userId)
    return nameOfSession(ended)
  }

  async end(key: string): Promise<void> {
    await this.#store.end(key)
    this.#dependencies.onEnded(key)
  }

  /** Ends all sessions of the user but this one. */
  async endOthers(key: string): Promise<void> {
    const { user, session } = await this.#required(key)
    await this.#endBut(user.id, { session: session.keyHash })
  }

  /** Ends all sessions of a user but this one at the portal. */
  async endOthersOfPortal(userId: string, portalSession: string): Promise<void> {
    await this.#endBut(userId, { portalSession })
  }

  async #endBut(userId: string, kept: { readonly session?: string; readonly portalSession?: string }): Promise<void> {
    await endSessionsOf(this.#db, { owner: 'user_id', id: userId, except: kept.session })
    await endPortalSessionsOf(this.#db, userId, kept.portalSession)
    await this.#dependencies.onChanged()
    this.#dependencies.onAccessChanged(userId)
  }

  /** Changes how a user signs in, and ends all sessions of the user with it. */
  async endAll(userId: string, change: (trx: Kysely<AccountTables>) => Promise<void>): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await change(trx)
      await endSessionsOf(trx, { owner: 'user_id', id: userId })
      await endPortalSessionsOf(trx, userId)
    })
    await this.#dependencies.onChanged()
    this.#dependencies.onAccessChanged(userId)
  }

  #proofBy(method: ProofMethod): Proof {
    return { proved_at: this.#dependencies.clock.now(), proved_by: method }
  }

  async #withUser(session: StoredSession<Proof> | undefined): Promise<Found | undefined> {
    const user = session === undefined ? undefined : await usersIn(this.#db).find(session.userId)
    return session !== undefined && user?.is_active === 1 && user.sites_only === 0 ? { user, session } : undefined
  }

  async #required(key: string): Promise<Found> {
    const found = await this.#withUser(await this.#store.find(key))
    if (found === undefined) throw new HttpError({ kind: 'unauthenticated' })
    return found
  }

  get #db(): Kysely<AccountTables> {
    return this.#dependencies.db
  }
}

/** Throws a problem for a user who signs in to protected sites, and not to this service. */
export function checkServiceUser(user: UserRow): void {
  if (user.sites_only === 1) throw forbidden('This account signs in to sites, not here', 'sites_only')
}

function provenSession(found: Found | undefined): ProvenSession | undefined {
  if (found === undefined) return undefined
  const { user, session } = found
  return {
    userId: user.id,
    username: user.username,
    role: user.role,
    passwordChangeRequired: user.password_change_required === 1,
    provedAt: session.extra.proved_at,
    provedBy: session.extra.proved_by,
  }
}
