import { BoundTokens, type FoundToken } from '@hearth/accounts'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { Tables, UserRow } from '../tables.ts'
import { forbidden, notFound } from '../problems.ts'
import type { Role } from '../users/schema.ts'
import { usersIn } from '../users/users.ts'
import type { Token, TokenCreate, TokenPermissions } from './schema.ts'

/** Dependencies of `Tokens`; `onAccessChanged` is called with users whose open connections must end or start again. */
export interface TokenDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged?: (userId: string) => void
}

/** API tokens: made and revoked by their owner, and found again by their value. */
export class Tokens {
  readonly #tokens: BoundTokens<TokenPermissions, UserRow>

  constructor({ database, clock, onAccessChanged }: TokenDependencies) {
    this.#tokens = new BoundTokens({
      query: database.query,
      clock,
      prefix: 'hvpn',
      async findOwner(userId) {
        const owner = await usersIn(database.query).find(userId)
        return owner?.is_active === 1 ? owner : undefined
      },
      onRevoked: ({ userId }) => onAccessChanged?.(userId),
    })
  }

  async list(userId: string, page: { limit: number; offset: number }): Promise<Page<Token>> {
    return { rows: await this.#tokens.list(userId, page), total: await this.#tokens.count(userId) }
  }

  /** Only this answer contains the value. */
  async create(owner: { userId: string; role: Role }, input: TokenCreate): Promise<Token & { token: string }> {
    if (input.permissions === 'full' && owner.role !== 'admin')
      throw forbidden('Insufficient permissions: full tokens are for administrators only')
    return this.#tokens.create(owner.userId, input)
  }

  async revoke(userId: string, id: string): Promise<Token> {
    const token = await this.#tokens.revoke(userId, id)
    if (token === undefined) throw notFound(`token ${id}`)
    return token
  }

  /** The caller behind a token's value; undefined when it is unknown, expired, or its owner is deactivated. */
  async identify(value: string, address: string): Promise<Caller | undefined> {
    const token = await this.#tokens.find(value)
    if (token === undefined) return undefined
    await token.noteUse(address)
    return callerOf(token)
  }

  /** Returns true if a token is still valid. */
  async isUsable(id: string): Promise<boolean> {
    return (await this.#tokens.ownerOf(id)) !== undefined
  }
}

/** A full token of a former administrator has the current rights of its owner. */
function callerOf({ id, permissions, owner, mayComeFrom }: FoundToken<TokenPermissions, UserRow>): Caller {
  return {
    userId: owner.id,
    username: owner.username,
    role: owner.role,
    via: { kind: 'token', id, permissions: owner.role === 'admin' ? permissions : 'read-only', mayComeFrom },
  }
}
