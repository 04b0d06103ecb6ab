import { randomUUIDv7 } from 'node:crypto'
import { createToken, hashToken, isToken } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import { createAddressSet } from '@hearth/http'
import { momentOf, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import type { Tables, TokenRow } from '../database/tables.ts'
import { conflict, forbidden, notFound } from '../problems.ts'
import type { Role } from '../users/schema.ts'
import type { Token, TokenCreate, TokenExpiry } from './schema.ts'
import * as store from './store.ts'

/** Every token of this service begins with it. */
export const tokenPrefix = 'hvpn'

/** More than this a user does not need, and a list stays readable. */
const tokensPerUser = 100

/** How often the last use is written down, milliseconds; a busy token must not cost a write a request. */
const useResolution = 60_000

const day = 86_400_000
const lifetimes: Record<TokenExpiry, number | null> = { never: null, '30d': 30 * day, '90d': 90 * day, '1y': 365 * day }

/** API tokens: made and revoked by their owner, and found again by their value. */
export interface Tokens {
  list(userId: string, page: { limit: number; offset: number }): Promise<Page<Token>>
  /** The value is in the answer this once. */
  create(owner: { userId: string; role: Role }, input: TokenCreate): Promise<Token & { token: string }>
  revoke(userId: string, id: string): Promise<Token>
  /** The caller behind a token's value; undefined when it is unknown, expired, or its owner is deactivated. */
  identify(value: string, address: string): Promise<Caller | undefined>
  /** Whether a token that was good a moment ago still is. */
  isUsable(id: string): Promise<boolean>
}

/** What the tokens need; `onAccessChanged` hears of users whose open connections must end, or begin anew. */
export interface TokenParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged?: (userId: string) => void
}

export function createTokens({ database, clock, onAccessChanged }: TokenParts): Tokens {
  const db = database.query
  return {
    async list(userId, page) {
      const { rows, total } = await store.listTokenRows(db, userId, page)
      return { rows: rows.map(tokenOfRow), total }
    },
    async create(owner, input) {
      await checkMayCreate(db, owner, input)
      const value = createToken(tokenPrefix)
      const row = newTokenRow(input, { userId: owner.userId, value, now: clock.now() })
      await store.insertTokenRow(db, row)
      return { ...tokenOfRow(row), token: value }
    },
    async revoke(userId, id) {
      const row = await store.deleteTokenRow(db, userId, id)
      if (row === undefined) throw notFound(`token ${id}`)
      onAccessChanged?.(userId)
      return tokenOfRow(row)
    },
    async identify(value, address) {
      if (!isToken(value, tokenPrefix)) return undefined
      const row = await store.findTokenByHash(db, hashToken(value))
      const now = clock.now()
      if (row === undefined || !isValid(row, now)) return undefined
      if (now - (row.last_used_at ?? 0) > useResolution || row.last_used_ip !== address) {
        await store.recordTokenUse(db, row.id, { last_used_at: now, last_used_ip: address })
      }
      return callerOf(row)
    },
    async isUsable(id) {
      const row = await store.findTokenById(db, id)
      return row !== undefined && isValid(row, clock.now())
    },
  }
}

async function checkMayCreate(
  db: Kysely<Tables>,
  owner: { userId: string; role: Role },
  input: TokenCreate,
): Promise<void> {
  if (input.permissions === 'full' && owner.role !== 'admin') {
    throw forbidden('Insufficient permissions: full tokens are for administrators only')
  }
  const { total } = await store.listTokenRows(db, owner.userId, { limit: 1, offset: 0 })
  if (total >= tokensPerUser) throw conflict('name', `There are ${tokensPerUser} tokens already; revoke one first`)
}

function isValid(row: store.TokenWithOwner, now: number): boolean {
  return row.is_active === 1 && (row.expires_at === null || row.expires_at > now)
}

function newTokenRow(input: TokenCreate, made: { userId: string; value: string; now: number }): TokenRow {
  const lifetime = lifetimes[input.expires]
  return {
    id: randomUUIDv7(),
    user_id: made.userId,
    name: input.name,
    prefix: made.value.slice(0, tokenPrefix.length + 5),
    hash: hashToken(made.value),
    permissions: input.permissions,
    ip_whitelist: JSON.stringify(input.ip_whitelist),
    created_at: made.now,
    expires_at: lifetime === null ? null : made.now + lifetime,
    last_used_at: null,
    last_used_ip: null,
  }
}

/** A full token of someone who is no longer administrator can do what that person may still do. */
function callerOf(row: store.TokenWithOwner): Caller {
  return {
    userId: row.user_id,
    username: row.username,
    role: row.role,
    via: {
      kind: 'token',
      id: row.id,
      permissions: row.role === 'admin' ? row.permissions : 'read-only',
      addresses: createAddressSet(JSON.parse(row.ip_whitelist) as string[]),
    },
  }
}

function tokenOfRow(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions,
    ip_whitelist: JSON.parse(row.ip_whitelist) as string[],
    created_at: new Date(row.created_at).toISOString(),
    expires_at: momentOf(row.expires_at),
    last_used_at: momentOf(row.last_used_at),
    last_used_ip: row.last_used_ip,
  }
}
