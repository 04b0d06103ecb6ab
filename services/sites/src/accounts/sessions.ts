import {
  countPasskeysOf,
  endSessionsOf,
  SessionStore,
  type RecoveryCodes,
  type Session as StoredSession,
} from '@hearth/accounts'
import { csrfTokenOf } from '@hearth/credentials'
import { HttpError } from '@hearth/http'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isRecent, recentFor } from '../access.ts'
import type { Proof, ProofMethod, AccountTables, UserRow } from './tables.ts'
import { usersIn } from './store.ts'
import type { Session } from './schema.ts'
import type { ProvenSession } from './visitor-keys.ts'

/** An unused session ends after an hour, a busy one after a day; milliseconds. */
export const idleLimit = 3_600_000
export const absoluteLimit = 86_400_000

const policy = { owner: 'user_id', maxAge: absoluteLimit, maxIdle: () => idleLimit, maxPerUser: 50 } as const

/** A session with the key that goes into the cookie. */
export interface OpenSession {
  readonly key: string
  readonly session: Session
}

export interface SessionDependencies {
  readonly db: Kysely<AccountTables>
  readonly clock: Clock
  readonly recoveryCodes: RecoveryCodes
  /** Hears of keys that open nothing any more. */
  readonly onEnded: (key: string) => void
  /** Hears of users of whose sessions some ended. */
  readonly onAccessChanged: (userId: string) => void
}

/** A session that is good, and whose it is. */
interface Found {
  readonly user: UserRow
  readonly session: StoredSession<Proof>
}

/** The sessions of those who are signed in. What the cookie holds is stored as its hash alone. */
export class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #store: SessionStore<Proof>

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    this.#store = new SessionStore(dependencies.db, dependencies.clock, policy)
  }

  /** A new session; the one the caller had before ends. */
  async open(user: UserRow, way: ProofMethod, before?: string): Promise<OpenSession> {
    if (before !== undefined) await this.end(before)
    await usersIn(this.#db).update(user.id, { last_login_at: this.#dependencies.clock.now() })
    const { key } = await this.#store.open(user.id, this.#proofBy(way))
    return { key, session: await this.describe(key) }
  }

  /** The same session under another key, after its user proved once more who they are. Ends others with `alone`. */
  async renew(key: string, way: ProofMethod, options = { alone: false }): Promise<OpenSession> {
    await this.#required(key)
    const next = await this.#store.renew(key, this.#proofBy(way))
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
    }
  }

  /** The user behind a session. Throws when it ended meanwhile. */
  async userOf(key: string): Promise<UserRow> {
    return (await this.#required(key)).user
  }

  async end(key: string): Promise<void> {
    await this.#store.end(key)
    this.#dependencies.onEnded(key)
  }

  /** Ends all sessions of the user but this one. */
  async endOthers(key: string): Promise<void> {
    const { user, session } = await this.#required(key)
    await endSessionsOf(this.#db, { owner: 'user_id', id: user.id, except: session.keyHash })
    this.#dependencies.onAccessChanged(user.id)
  }

  #proofBy(way: ProofMethod): Proof {
    return { proved_at: this.#dependencies.clock.now(), proved_by: way }
  }

  async #withUser(session: StoredSession<Proof> | undefined): Promise<Found | undefined> {
    const user = session === undefined ? undefined : await usersIn(this.#db).find(session.userId)
    return session !== undefined && user?.is_active === 1 ? { user, session } : undefined
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
