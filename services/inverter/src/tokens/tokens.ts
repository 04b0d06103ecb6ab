import { isExpired, TokenStore, tokenUseResolution, type Token as StoredToken } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { Tables, TokenColumns } from '../tables.ts'
import { Problem } from '../problems.ts'
import type { NewToken, Token, TokenCreate } from './schema.ts'

const policy = { prefix: 'pat', hashColumn: 'token_hash', maxTokens: 32 } as const

type Row = StoredToken & TokenColumns

/** Access tokens of programs. */
export class Tokens {
  readonly #clock: Clock
  readonly #onAccessChanged: () => void
  readonly #store: TokenStore<TokenColumns>
  /** Tokens that were used lately, by their value, so that frequent requests of a program need no query each. */
  readonly #known = new Map<string, Row>()
  #revocations = 0

  constructor(database: Database<Tables>, clock: Clock, onAccessChanged: () => void) {
    this.#clock = clock
    this.#onAccessChanged = onAccessChanged
    this.#store = new TokenStore(database.query, clock, policy)
  }

  async list(): Promise<Token[]> {
    return (await this.#store.list()).map((row) => tokenOfRow(row, this.#clock.now()))
  }

  async create({ name, role, expires }: TokenCreate): Promise<NewToken> {
    const { value, token } = await this.#store.create({ name, expires, extra: () => ({ role }) })
    return { ...tokenOfRow(token, this.#clock.now()), token: value }
  }

  /** Revokes a token, and returns its name. */
  async revoke(id: string): Promise<string> {
    const revoked = await this.#store.revoke(id)
    if (revoked === undefined) throw new Problem('not_found', `There is no token ${id}`)
    this.#revocations += 1
    this.#known.clear()
    this.#onAccessChanged()
    return revoked.name
  }

  async identify(value: string): Promise<Caller | undefined> {
    const revocations = this.#revocations
    const known = this.#known.get(value)
    const found = known ?? (await this.#store.find(value))
    if (found === undefined || isExpired(found, this.#clock.now())) return undefined
    const token = await this.#store.noteUse(found)
    if (known === undefined && this.#known.size >= policy.maxTokens) this.#known.clear()
    // A token that is being revoked at the same time is not remembered.
    if (revocations === this.#revocations) this.#known.set(value, token)
    return { name: token.name, via: { kind: 'token', id: token.id, role: token.role } }
  }

  /** Returns the id of a token that was identified within the last minute and is valid; undefined proves nothing. */
  recent(value: string): string | undefined {
    const token = this.#known.get(value)
    const now = this.#clock.now()
    if (token === undefined || isExpired(token, now)) return undefined
    return now - (token.last_used_at ?? 0) <= tokenUseResolution ? token.id : undefined
  }

  /** Returns true if the token still exists. */
  async isUsable(id: string): Promise<boolean> {
    return (await this.#store.findById(id)) !== undefined
  }
}

function tokenOfRow(row: Row, now: number): Token {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: toIsoString(row.expires_at),
    expired: isExpired(row, now),
    last_used_at: toIsoString(row.last_used_at),
  }
}
