import { createAddressSet } from '@hearth/http'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { AnyQuery } from '../any-query.ts'
import type { Token as StoredToken } from './store.ts'
import type { BoundTokenColumns } from './tables.ts'
import { TokenStore, type TokenExpiry } from './tokens.ts'

/** A token as its owner sees it. */
export interface BoundToken<Permissions extends string> {
  id: string
  name: string
  prefix: string
  permissions: Permissions
  ip_whitelist: string[]
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_ip: string | null
}

/** A token to create. */
export interface NewBoundToken<Permissions extends string> {
  readonly name: string
  readonly permissions: Permissions
  readonly expires: TokenExpiry
  /** Addresses and networks it may be used from; an empty list allows all. */
  readonly ip_whitelist: readonly string[]
}

/** Dependencies of `BoundTokens`. */
export interface BoundTokenDependencies<Owner> {
  readonly query: AnyQuery
  readonly clock: Clock
  /** Prefix of every value, by which scanners for leaked secrets find it. */
  readonly prefix: string
  /** The user with this id, whose tokens work; undefined for one who is gone or deactivated. */
  readonly findOwner: (userId: string) => Promise<Owner | undefined>
  /** Called with each token that was revoked: its open connections must end. */
  readonly onRevoked?: ((token: { readonly id: string; readonly userId: string }) => void) | undefined
}

/** A valid token, and the user it acts for. */
export interface FoundToken<Permissions extends string, Owner> {
  readonly id: string
  readonly name: string
  readonly permissions: Permissions
  readonly owner: Owner
  /** True if it may be used from this address. */
  readonly mayComeFrom: (address: string) => boolean
  /** Records a use of it. */
  readonly noteUse: (address: string) => Promise<unknown>
}

type Row<Permissions extends string> = StoredToken & BoundTokenColumns<Permissions>

/** Maximum number of tokens of one user. */
const maxTokens = 100

/** API tokens that belong to users and may be bound to addresses: made and revoked by their owner, and found by their value. */
export class BoundTokens<Permissions extends string, Owner> {
  readonly #dependencies: BoundTokenDependencies<Owner>
  readonly #store: TokenStore<BoundTokenColumns<Permissions>>

  constructor(dependencies: BoundTokenDependencies<Owner>) {
    const { query, clock, prefix } = dependencies
    this.#dependencies = dependencies
    this.#store = new TokenStore(query, clock, { prefix, hashColumn: 'hash', maxTokens })
  }

  async list(userId: string, page?: { limit: number; offset: number }): Promise<BoundToken<Permissions>[]> {
    return (await this.#store.list(this.#of(userId), page)).map(tokenOfRow)
  }

  count(userId: string): Promise<number> {
    return this.#store.count(this.#of(userId))
  }

  /** Only this answer contains the value. Throws an `AccountError` when the user has too many. */
  async create(
    userId: string,
    input: NewBoundToken<Permissions>,
  ): Promise<BoundToken<Permissions> & { token: string }> {
    const { value, token } = await this.#store.create({
      name: input.name,
      expires: input.expires,
      owner: this.#of(userId),
      extra: (text) => ({
        user_id: userId,
        prefix: text.slice(0, this.#dependencies.prefix.length + 5),
        permissions: input.permissions,
        ip_whitelist: JSON.stringify(input.ip_whitelist),
        last_used_ip: null,
      }),
    })
    return { ...tokenOfRow(token), token: value }
  }

  /** Revokes one of the user's tokens, and returns it; undefined when they have none with this id. */
  async revoke(userId: string, id: string): Promise<BoundToken<Permissions> | undefined> {
    const row = await this.#store.revoke(id, this.#of(userId))
    if (row === undefined) return undefined
    this.#dependencies.onRevoked?.({ id: row.id, userId })
    return tokenOfRow(row)
  }

  /** The token of a value; undefined when it is unknown or expired, or its owner is gone or deactivated. */
  async find(value: string): Promise<FoundToken<Permissions, Owner> | undefined> {
    const row = await this.#store.find(value)
    const owner = row && (await this.#dependencies.findOwner(row.user_id))
    if (row === undefined || owner === undefined) return undefined
    const { id, name, permissions } = row
    const addresses = createAddressSet(JSON.parse(row.ip_whitelist) as string[])
    return {
      id,
      name,
      permissions,
      owner,
      mayComeFrom: (address) => addresses.isEmpty || addresses.has(address),
      noteUse: (address) => this.#store.noteUse(row, { last_used_ip: address }),
    }
  }

  /** The user a token acts for; undefined when it is not valid any more. */
  async ownerOf(id: string): Promise<Owner | undefined> {
    const row = await this.#store.findById(id)
    return row && this.#dependencies.findOwner(row.user_id)
  }

  #of(userId: string): Partial<BoundTokenColumns<Permissions>> {
    return { user_id: userId }
  }
}

function tokenOfRow<Permissions extends string>(row: Row<Permissions>): BoundToken<Permissions> {
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
