import { createSessionKey, csrfTokenOf, hashToken } from '@hearth/credentials'
import { Fault } from '@hearth/http'
import { momentOf, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isRecent, recentFor } from '../access.ts'
import type { ProofWay, SessionRow, Tables, UserRow } from '../database/tables.ts'
import { countRecoveryCodes } from './recovery-store.ts'
import type { Session } from './schema.ts'
import * as store from './store.ts'
import type { ProvenSession } from './ways-in.ts'

/** An unused session ends after an hour, a busy one after a day; milliseconds. */
export const idleLimit = 3_600_000
export const absoluteLimit = 86_400_000

/** How often the last use is written down, milliseconds. */
const useResolution = 60_000

/** Sessions one user may have; signing in once more ends the one that was not used for longest. */
const mostSessions = 50

/** A session with the key that goes into the cookie. */
export interface OpenSession {
  readonly key: string
  readonly session: Session
}

/** The sessions of those who are signed in. What the cookie holds is stored as its hash alone. */
export interface Sessions {
  /** A new session; the one the caller had before ends. */
  open(user: UserRow, way: ProofWay, before?: string): Promise<OpenSession>
  /** The same session under another key, after its user proved once more who they are. Ends others with `alone`. */
  renew(key: string, way: ProofWay, options?: { alone: boolean }): Promise<OpenSession>
  /** Whose session it is; undefined when it is unknown or ran out. Counts as use. */
  identify(key: string): Promise<ProvenSession | undefined>
  /** As `identify`, without prolonging it. */
  look(key: string): Promise<ProvenSession | undefined>
  describe(key: string): Promise<Session>
  /** The user behind a session. Throws when it ended meanwhile. */
  userOf(key: string): Promise<UserRow>
  end(key: string): Promise<void>
  /** Ends all sessions of the user but this one. */
  endOthers(key: string): Promise<void>
}

export interface SessionParts {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  /** Hears of keys that open nothing any more. */
  readonly onEnded: (key: string) => void
  /** Hears of users of whose sessions some ended. */
  readonly onAccessChanged: (userId: string) => void
}

export function createSessions(parts: SessionParts): Sessions {
  return new StoredSessions(parts)
}

class StoredSessions implements Sessions {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #onEnded: (key: string) => void
  readonly #onAccessChanged: (userId: string) => void

  constructor({ db, clock, onEnded, onAccessChanged }: SessionParts) {
    this.#db = db
    this.#clock = clock
    this.#onEnded = onEnded
    this.#onAccessChanged = onAccessChanged
  }

  async open(user: UserRow, way: ProofWay, before?: string): Promise<OpenSession> {
    const now = this.#clock.now()
    if (before !== undefined) await this.end(before)
    await store.deleteStaleSessions(this.#db, { lastUsed: now - idleLimit, created: now - absoluteLimit })
    await store.updateUserRow(this.#db, user.id, { last_login_at: now })
    const key = createSessionKey()
    await store.insertSessionRow(this.#db, {
      key_hash: hashToken(key),
      user_id: user.id,
      created_at: now,
      last_used_at: now,
      proved_at: now,
      proved_by: way,
    })
    await store.keepNewestSessions(this.#db, user.id, mostSessions)
    return { key, session: await this.describe(key) }
  }

  async renew(key: string, way: ProofWay, options = { alone: false }): Promise<OpenSession> {
    const { session } = await this.#find(key)
    const now = this.#clock.now()
    const next = createSessionKey()
    const row = { ...session, key_hash: hashToken(next), last_used_at: now, proved_at: now, proved_by: way }
    if (!(await store.replaceSessionRow(this.#db, session.key_hash, row))) throw new Fault({ kind: 'unauthenticated' })
    this.#onEnded(key)
    if (options.alone) await this.endOthers(next)
    return { key: next, session: await this.describe(next) }
  }

  async identify(key: string): Promise<ProvenSession | undefined> {
    const found = await this.#good(key)
    if (found === undefined) return undefined
    const now = this.#clock.now()
    if (now - found.session.last_used_at > useResolution)
      await store.touchSession(this.#db, found.session.key_hash, now)
    return provenSession(found)
  }

  async look(key: string): Promise<ProvenSession | undefined> {
    const found = await this.#good(key)
    return found === undefined ? undefined : provenSession(found)
  }

  async describe(key: string): Promise<Session> {
    const found = await this.#find(key)
    const { user, session } = found
    const passkeys = await store.countPasskeysOf(this.#db, [user.id])
    const isProved = isRecent(provenSession(found), this.#clock.now())
    return {
      user: { id: user.id, username: user.username, role: user.role },
      csrf_token: csrfTokenOf(key),
      expires_at: new Date(endOf(session)).toISOString(),
      recent_until: isProved ? momentOf(session.proved_at + recentFor) : null,
      password_change_required: user.password_change_required === 1,
      has_password: user.password_hash !== null,
      passkeys: passkeys.get(user.id) ?? 0,
      recovery_codes_left: await countRecoveryCodes(this.#db, user.id),
    }
  }

  async userOf(key: string): Promise<UserRow> {
    return (await this.#find(key)).user
  }

  async end(key: string): Promise<void> {
    await store.deleteSessionRow(this.#db, hashToken(key))
    this.#onEnded(key)
  }

  async endOthers(key: string): Promise<void> {
    const { session } = await this.#find(key)
    await store.deleteSessionsOfUser(this.#db, session.user_id, session.key_hash)
    this.#onAccessChanged(session.user_id)
  }

  async #good(key: string): Promise<store.SessionWithUser | undefined> {
    const found = await store.findSession(this.#db, hashToken(key))
    if (found === undefined || found.user.is_active !== 1) return undefined
    return endOf(found.session) > this.#clock.now() ? found : undefined
  }

  async #find(key: string): Promise<store.SessionWithUser> {
    const found = await this.#good(key)
    if (found === undefined) throw new Fault({ kind: 'unauthenticated' })
    return found
  }
}

function endOf({ last_used_at, created_at }: SessionRow): number {
  return Math.min(last_used_at + idleLimit, created_at + absoluteLimit)
}

function provenSession({ user, session }: store.SessionWithUser): ProvenSession {
  return {
    userId: user.id,
    username: user.username,
    role: user.role,
    passwordChangeRequired: user.password_change_required === 1,
    provedAt: session.proved_at,
    provedBy: session.proved_by,
  }
}
