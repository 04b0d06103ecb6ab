import { type Token as StoredToken, TokenStore } from '@hearth/accounts'
import type { Database, Page } from '@hearth/database'
import { createAddressSet } from '@hearth/http'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { Tables, TokenColumns, UserRow } from '../tables.ts'
import { forbidden, notFound } from '../problems.ts'
import type { Role } from '../users/schema.ts'
import { usersIn } from '../users/users.ts'
import type { Token, TokenCreate } from './schema.ts'

const policy = { prefix: 'hvpn', hashColumn: 'hash', maxTokens: 100 } as const

type Row = StoredToken & TokenColumns

/** Dependencies of `Tokens`; `onAccessChanged` is called with users whose open connections must end or start again. */
export interface TokenDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged?: (userId: string) => void
}

/** API tokens: made and revoked by their owner, and found again by their value. */
export class Tokens {
  readonly #dependencies: TokenDependencies
  readonly #store: TokenStore<TokenColumns>

  constructor(dependencies: TokenDependencies) {
    this.#dependencies = dependencies
    this.#store = new TokenStore(dependencies.database.query, dependencies.clock, policy)
  }

  async list(userId: string, page: { limit: number; offset: number }): Promise<Page<Token>> {
    const own = { user_id: userId }
    return { rows: (await this.#store.list(own, page)).map(tokenOfRow), total: await this.#store.count(own) }
  }

  /** Only this answer contains the value. */
  async create(owner: { userId: string; role: Role }, input: TokenCreate): Promise<Token & { token: string }> {
    if (input.permissions === 'full' && owner.role !== 'admin')
      throw forbidden('Insufficient permissions: full tokens are for administrators only')
    const { value, token } = await this.#store.create({
      name: input.name,
      expires: input.expires,
      owner: { user_id: owner.userId },
      extra: (text) => ({
        user_id: owner.userId,
        prefix: text.slice(0, policy.prefix.length + 5),
        permissions: input.permissions,
        ip_whitelist: JSON.stringify(input.ip_whitelist),
        last_used_ip: null,
      }),
    })
    return { ...tokenOfRow(token), token: value }
  }

  async revoke(userId: string, id: string): Promise<Token> {
    const row = await this.#store.revoke(id, { user_id: userId })
    if (row === undefined) throw notFound(`token ${id}`)
    this.#dependencies.onAccessChanged?.(userId)
    return tokenOfRow(row)
  }

  /** The caller behind a token's value; undefined when it is unknown, expired, or its owner is deactivated. */
  async identify(value: string, address: string): Promise<Caller | undefined> {
    const token = await this.#store.find(value)
    const owner = await this.#ownerOf(token)
    if (token === undefined || owner === undefined) return undefined
    await this.#store.noteUse(token, { last_used_ip: address })
    return callerOf(token, owner)
  }

  /** Returns true if a token is still valid. */
  async isUsable(id: string): Promise<boolean> {
    return (await this.#ownerOf(await this.#store.findById(id))) !== undefined
  }

  async #ownerOf(token: Row | undefined): Promise<UserRow | undefined> {
    const owner = token === undefined ? undefined : await usersIn(this.#dependencies.database.query).find(token.user_id)
    return owner?.is_active === 1 ? owner : undefined
  }
}

/** A full token of a former administrator has the current rights of its owner. */
function callerOf(token: Row, owner: UserRow): Caller {
  return {
    userId: owner.id,
    username: owner.username,
    role: owner.role,
    via: {
      kind: 'token',
      id: token.id,
      permissions: owner.role === 'admin' ? token.permissions : 'read-only',
      addresses: createAddressSet(JSON.parse(token.ip_whitelist) as string[]),
    },
  }
}

function tokenOfRow(row: Row): Token {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions,
    ip_whitelist: JSON.parse(row.ip_whitelist) as string[],
    created_at: new Date(row.created_at).toISOString(),
    expires_at: toIsoString(row.expires_at),
    last_used_at: toIsoString(row.last_used_at),
    last_used_ip: row.last_used_ip,
  }
}
