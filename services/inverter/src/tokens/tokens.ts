import { randomUUIDv7 } from 'node:crypto'
import { createToken, hashToken, isToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { momentOf, type Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { Tables, TokenRow } from '../database/tables.ts'
import { Problem } from '../problems.ts'
import type { NewToken, Token, TokenCreate } from './schema.ts'
import * as store from './store.ts'

/** What the value begins with, so that a scanner for leaked secrets finds it. */
const prefix = 'pat'

const days = { '30d': 30, '90d': 90, '1y': 365 } as const

/** How many tokens there may be. */
const maximum = 32

/** How often the last use is written down, milliseconds. */
const useResolution = 60_000

/** Access tokens of programs. */
export interface Tokens {
  list(): Promise<Token[]>
  create(input: TokenCreate): Promise<NewToken>
  revoke(id: string): Promise<void>
  identify(token: string): Promise<Caller | undefined>
  /** The id of a token that was identified within the last minute and still counts; undefined says nothing. */
  recent(token: string): string | undefined
  /** Whether a token that was good a moment ago still is. */
  isUsable(id: string): Promise<boolean>
}

export interface TokenParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged: () => void
}

export function createTokens(parts: TokenParts): Tokens {
  return new HashedTokens(parts)
}

class HashedTokens implements Tokens {
  readonly #parts: TokenParts
  /** Rows of tokens that were shown lately, so that a program that asks often costs no query each time. */
  readonly #known = new Map<string, TokenRow>()
  #revocations = 0

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  async list(): Promise<Token[]> {
    return (await store.allTokens(this.#db)).map((row) => tokenOfRow(row, this.#now))
  }

  async create({ name, role, expires }: TokenCreate): Promise<NewToken> {
    const now = this.#now
    const token = createToken(prefix)
    const row: TokenRow = {
      id: randomUUIDv7(),
      name,
      role,
      token_hash: hashToken(token),
      created_at: now,
      expires_at: expires === 'never' ? null : now + days[expires] * 86_400_000,
      last_used_at: null,
    }
    await this.#db.transaction().execute(async (trx) => {
      if ((await store.allTokens(trx)).length >= maximum)
        throw new Problem('conflict', `There are ${maximum} tokens already; revoke one first`)
      await store.insertToken(trx, row)
    })
    return { ...tokenOfRow(row, now), token }
  }

  async revoke(id: string): Promise<void> {
    if (!(await store.deleteToken(this.#db, id))) throw new Problem('not_found', `There is no token ${id}`)
    this.#revocations += 1
    this.#known.clear()
    this.#parts.onAccessChanged()
  }

  async identify(token: string): Promise<Caller | undefined> {
    const now = this.#now
    const row = this.#known.get(token) ?? (await this.#look(token))
    if (row === undefined || isExpired(row, now)) return undefined
    if (now - (row.last_used_at ?? 0) > useResolution) {
      row.last_used_at = now
      await store.touchToken(this.#db, row.id, now)
    }
    return { name: row.name, via: { kind: 'token', id: row.id, role: row.role } }
  }

  recent(token: string): string | undefined {
    const row = this.#known.get(token)
    const now = this.#now
    const isRecent = row !== undefined && !isExpired(row, now) && now - (row.last_used_at ?? 0) <= useResolution
    return isRecent ? row.id : undefined
  }

  async isUsable(id: string): Promise<boolean> {
    const row = (await store.allTokens(this.#db)).find((token) => token.id === id)
    return row !== undefined && !isExpired(row, this.#now)
  }

  async #look(token: string): Promise<TokenRow | undefined> {
    if (!isToken(token, prefix)) return undefined
    const revocations = this.#revocations
    const row = await store.findTokenByHash(this.#db, hashToken(token))
    if (this.#known.size >= maximum) this.#known.clear()
    // One that is being revoked this very moment is not remembered.
    if (row !== undefined && revocations === this.#revocations) this.#known.set(token, row)
    return row
  }

  get #now(): number {
    return this.#parts.clock.now()
  }

  get #db() {
    return this.#parts.database.query
  }
}

const isExpired = (row: TokenRow, now: number): boolean => row.expires_at !== null && row.expires_at <= now

function tokenOfRow(row: TokenRow, now: number): Token {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: momentOf(row.expires_at),
    expired: isExpired(row, now),
    last_used_at: momentOf(row.last_used_at),
  }
}
