import { createSessionKey, hashToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { AnyQuery } from '../any-query.ts'
import { sessionIdOf } from './session-id.ts'
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
  /** Address and User-Agent of the sign-in; null for a session from before they were stored. */
  readonly address: string | null
  readonly userAgent: string | null
  readonly extra: Extra
}

/** Where a sign-in came from. */
export interface SessionOrigin {
  readonly address: string
  readonly userAgent: string
}

/** Maximum length of a stored User-Agent, characters. */
const maxUserAgent = 256

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

  async open(userId: string, extra: Extra, origin?: SessionOrigin): Promise<OpenedSession<Extra>> {
    const { owner, maxAge, maxPerUser } = this.#policy
    const now = this.#clock.now()
    await store.deleteStaleSessionRows(this.#db, { lastUsed: now - this.#maxIdle, created: now - maxAge })
    const key = createSessionKey()
    const times = { created_at: now, last_used_at: now }
    const from = { address: origin?.address ?? null, user_agent: origin?.userAgent.slice(0, maxUserAgent) ?? null }
    const row = { key_hash: hashToken(key), [owner]: userId, ...times, ...from, ...extra }
    await store.insertSessionRow(this.#db, row)
    if (maxPerUser !== undefined) await store.keepNewestSessionRows(this.#db, { owner, id: userId }, maxPerUser)
    return { key, session: this.#sessionOf(row as unknown as store.SessionRow<'user_id'>) }
  }

  /** The session of a key; undefined when it is unknown or has ended. */
  async find(key: string): Promise<Session<Extra> | undefined> {
    const row = await store.findSessionRow(this.#db, hashToken(key))
    const session = row && this.#sessionOf(row)
    return session !== undefined && session.endsAt > this.#clock.now() ? session : undefined
  }

  /** The sessions of a user that are good, the last used first. */
  async listOf(userId: string): Promise<Session<Extra>[]> {
    const { owner, maxAge } = this.#policy
    const now = this.#clock.now()
    const since = { lastUsed: now - this.#maxIdle, created: now - maxAge }
    const rows = await store.listSessionRowsOf(this.#db, { owner, id: userId }, since)
    return rows.map((row) => this.#sessionOf(row))
  }

  /** Ends the session of a user with this id (see `sessionIdOf`), and returns it; undefined when they have none like it. */
  async endOwn(userId: string, id: string): Promise<Session<Extra> | undefined> {
    const found = (await this.listOf(userId)).find((session) => sessionIdOf(session) === id)
    if (found !== undefined) await store.deleteSessionRow(this.#db, found.keyHash)
    return found
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

  #sessionOf(row: store.SessionRow<'user_id'>): Session<Extra> {
    const { key_hash: keyHash, created_at: createdAt, last_used_at: lastUsedAt, ...more } = row
    const { address, user_agent: userAgent, [this.#policy.owner as 'user_id']: userId, ...extra } = more
    const endsAt = Math.min(lastUsedAt + this.#maxIdle, createdAt + this.#policy.maxAge)
    return { keyHash, userId, createdAt, lastUsedAt, endsAt, address, userAgent, extra: extra as Extra }
  }

  get #maxIdle(): number {
    return this.#policy.maxIdle?.() ?? this.#policy.maxAge
  }
}

/** Ends the sessions of a user, but for one with this hash of a key; within a transaction that changes the user. */
export async function endSessionsOf(trx: AnyQuery, user: store.OwnerOfRows): Promise<void> {
  await store.deleteSessionRowsOf(store.sessionsIn(trx), user)
}

/** Ends the sessions with these hashes of their keys, and returns the users whose they were. */
export function endSessionsWith(
  query: AnyQuery,
  owner: store.OwnerColumn,
  hashes: readonly string[],
): Promise<string[]> {
  return store.deleteSessionRowsWith(store.sessionsIn(query), owner, hashes)
}
