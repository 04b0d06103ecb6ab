import { createSessionKey, hashToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { AnyQuery } from '../any-query.ts'
import * as store from './store.ts'

/** Policy of a service for its sessions. Times are milliseconds. */
export interface SessionPolicy {
  readonly owner: store.OwnerColumn
  /** Absolute lifetime of a session, whatever the activity. */
  readonly maxAge: number
  /** An unused session ends after this time; read at every use. Sessions without it last `maxAge`. */
  readonly maxIdle?: () => number
  /** Interval at which the last use is recorded; a minute by default. */
  readonly useResolution?: number
  /** Sessions that one user may have; a further one ends the least recently used. */
  readonly maxPerUser?: number
}

/** A valid session. `extra` holds the columns that the service adds. */
export interface Session<Extra extends object = object> {
  readonly keyHash: string
  readonly userId: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** Time of its end unless it is used before. */
  readonly endsAt: number
  readonly extra: Extra
}

/** A session with the key that goes into the cookie. */
export interface OpenedSession<Extra extends object = object> {
  readonly key: string
  readonly session: Session<Extra>
}

/** Browser sessions as rows. The cookie holds a random key; only its hash is stored. */
export class SessionStore<Extra extends object = object> {
  readonly #db: ReturnType<typeof store.sessionsIn>
  readonly #clock: Clock
  readonly #policy: SessionPolicy

  constructor(query: AnyQuery, clock: Clock, policy: SessionPolicy) {
    this.#db = store.sessionsIn(query)
    this.#clock = clock
    this.#policy = policy
  }

  async open(userId: string, extra: Extra): Promise<OpenedSession<Extra>> {
    const { owner, maxAge, maxPerUser } = this.#policy
    const now = this.#clock.now()
    await store.deleteStaleSessionRows(this.#db, { lastUsed: now - this.#maxIdle, created: now - maxAge })
    const key = createSessionKey()
    const times = { created_at: now, last_used_at: now }
    await store.insertSessionRow(this.#db, { key_hash: hashToken(key), [owner]: userId, ...times, ...extra })
    if (maxPerUser !== undefined) await store.keepNewestSessionRows(this.#db, { owner, id: userId }, maxPerUser)
    const endsAt = now + Math.min(this.#maxIdle, maxAge)
    return { key, session: { keyHash: hashToken(key), userId, createdAt: now, lastUsedAt: now, endsAt, extra } }
  }

  /** The session of a key; undefined when it is unknown or has ended. */
  async find(key: string): Promise<Session<Extra> | undefined> {
    const row = await store.findSessionRow(this.#db, hashToken(key))
    if (row === undefined) return undefined
    const { key_hash: keyHash, created_at: createdAt, last_used_at: lastUsedAt, ...rest } = row
    const { [this.#policy.owner as 'user_id']: userId, ...extra } = rest
    const endsAt = Math.min(lastUsedAt + this.#maxIdle, createdAt + this.#policy.maxAge)
    if (endsAt <= this.#clock.now()) return undefined
    return { keyHash, userId, createdAt, lastUsedAt, endsAt, extra: extra as Extra }
  }

  /** As `find`, and counts as use. */
  async use(key: string): Promise<Session<Extra> | undefined> {
    const session = await this.find(key)
    if (session === undefined) return undefined
    const now = this.#clock.now()
    const { useResolution = 60_000 } = this.#policy
    if (now - session.lastUsedAt > useResolution)
      await store.updateSessionRow(this.#db, session.keyHash, { last_used_at: now })
    return session
  }

  /** Gives a session another key; undefined when it has ended meanwhile. */
  async renew(key: string, extra: Extra): Promise<string | undefined> {
    const next = createSessionKey()
    const values = { key_hash: hashToken(next), last_used_at: this.#clock.now(), ...extra }
    const session = await this.find(key)
    return session !== undefined && (await store.updateSessionRow(this.#db, session.keyHash, values)) ? next : undefined
  }

  async end(key: string): Promise<void> {
    await store.deleteSessionRow(this.#db, hashToken(key))
  }

  async endAll(): Promise<void> {
    await store.deleteAllSessionRows(this.#db)
  }

  get #maxIdle(): number {
    return this.#policy.maxIdle?.() ?? this.#policy.maxAge
  }
}

/** Ends the sessions of a user, but for one with this hash of a key; within a transaction that changes the user. */
export async function endSessionsOf(trx: AnyQuery, user: store.OwnerOfRows): Promise<void> {
  await store.deleteSessionRowsOf(store.sessionsIn(trx), user)
}
