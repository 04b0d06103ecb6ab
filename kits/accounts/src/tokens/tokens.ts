import { randomUUIDv7 } from 'node:crypto'
import { createToken, hashToken, isToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { AccountError } from '../account-error.ts'
import type { AnyQuery } from '../any-query.ts'
import * as store from './store.ts'

/** Rules of a service for its API tokens. */
export interface TokenPolicy {
  /** Prefix of every value, by which scanners for leaked secrets find it. */
  readonly prefix: string
  readonly hashColumn: store.HashColumn
  /** Maximum number of tokens per owner. */
  readonly maxTokens: number
}

const day = 86_400_000

/** Lifetimes of tokens, milliseconds; null does not expire. */
const lifetimes = { never: null, '30d': 30 * day, '90d': 90 * day, '1y': 365 * day } as const

/** Lifetime of a new token, counted from now; `never` does not expire. */
export type TokenExpiry = keyof typeof lifetimes

/** Minimum time between two writes of `last_used_at`, milliseconds: a busy token must not cost one write per request. */
export const tokenUseResolution = 60_000

/** A token to create. */
export interface NewToken<Extra extends object> {
  readonly name: string
  readonly expires: TokenExpiry
  /** Columns that the service adds; `value` is the new token. */
  readonly extra: (value: string) => Extra
  /** Columns that identify the owner, whose tokens count towards `maxTokens`; without it all tokens count. */
  readonly owner?: Partial<Extra>
}

/** API tokens as rows. The value is shown once; only its hash is stored. */
export class TokenStore<Extra extends object = object> {
  readonly #db: ReturnType<typeof store.tokensIn>
  readonly #clock: Clock
  readonly #policy: TokenPolicy

  constructor(query: AnyQuery, clock: Clock, policy: TokenPolicy) {
    this.#db = store.tokensIn(query)
    this.#clock = clock
    this.#policy = policy
  }

  /** Creates a token and returns it with its value. Throws an `AccountError` when the owner has too many. */
  async create({
    name,
    expires,
    extra,
    owner = {},
  }: NewToken<Extra>): Promise<{ value: string; token: store.Token & Extra }> {
    const { prefix, hashColumn, maxTokens: max } = this.#policy
    const value = createToken(prefix)
    const now = this.#clock.now()
    const lifetime = lifetimes[expires]
    const token = {
      id: randomUUIDv7(),
      name,
      created_at: now,
      expires_at: lifetime === null ? null : now + lifetime,
      last_used_at: null,
      ...extra(value),
    }
    await this.#db.transaction().execute(async (trx) => {
      const count = await store.countTokenRows(trx, owner)
      if (count >= max) throw new AccountError({ kind: 'too-many-tokens', max })
      await store.insertTokenRow(trx, { ...token, [hashColumn]: hashToken(value) })
    })
    return { value, token }
  }

  /** Returns the tokens that have these columns, in order of creation. */
  async list(where: Partial<Extra> = {}, page?: { limit: number; offset: number }): Promise<(store.Token & Extra)[]> {
    const rows = await store.listTokenRows(this.#db, where, page)
    return rows.map((row) => this.#tokenOf(row))
  }

  count(where: Partial<Extra> = {}): Promise<number> {
    return store.countTokenRows(this.#db, where)
  }

  /** The token of a value; undefined when it is unknown or expired. */
  async find(value: string): Promise<(store.Token & Extra) | undefined> {
    const { prefix, hashColumn } = this.#policy
    return isToken(value, prefix) ? this.#good({ [hashColumn]: hashToken(value) }) : undefined
  }

  /** The token of an id; undefined when it was revoked or has expired. */
  findById(id: string): Promise<(store.Token & Extra) | undefined> {
    return this.#good({ id })
  }

  /** Records that a token is used, at most once a minute or when one of the given columns changed. Returns it as stored. */
  async noteUse(token: store.Token & Extra, columns: Partial<Extra> = {}): Promise<store.Token & Extra> {
    const now = this.#clock.now()
    const before = token as unknown as store.Columns
    const isChanged = Object.entries(columns).some(([name, value]) => before[name] !== value)
    if (!isChanged && now - (token.last_used_at ?? 0) <= tokenUseResolution) return token
    const values = { last_used_at: now, ...columns }
    await store.updateTokenRow(this.#db, token.id, values)
    return { ...token, ...values }
  }

  /** Revokes the token if it has these columns, and returns it; undefined when there is none. */
  async revoke(id: string, where: Partial<Extra> = {}): Promise<(store.Token & Extra) | undefined> {
    const row = await store.deleteTokenRow(this.#db, { id, ...where })
    return row === undefined ? undefined : this.#tokenOf(row)
  }

  async #good(where: store.Columns): Promise<(store.Token & Extra) | undefined> {
    const row = await store.findTokenRow(this.#db, where)
    return row === undefined || isExpired(row, this.#clock.now()) ? undefined : this.#tokenOf(row)
  }

  #tokenOf(row: store.Token): store.Token & Extra {
    const { [this.#policy.hashColumn as 'hash']: _hash, ...token } = row as store.TokenRow<'hash', Extra>
    return token as unknown as store.Token & Extra
  }
}

/** Returns true for a token that has expired. */
export function isExpired({ expires_at }: Pick<store.Token, 'expires_at'>, now: number): boolean {
  return expires_at !== null && expires_at <= now
}
