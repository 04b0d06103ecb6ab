import { randomUUIDv7 } from 'node:crypto'
import { createToken, hashToken, isToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
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
}

export function createTokens(parts: { database: Database<Tables>; clock: Clock; onAccessChanged: () => void }): Tokens {
  const { database, clock } = parts
  const db = database.query
  return {
    list: async () => (await store.allTokens(db)).map((row) => tokenOfRow(row, clock.now())),
    async create({ name, role, expires }) {
      const now = clock.now()
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
      await db.transaction().execute(async (trx) => {
        if ((await store.allTokens(trx)).length >= maximum)
          throw new Problem('conflict', `There are ${maximum} tokens already; revoke one first`)
        await store.insertToken(trx, row)
      })
      return { ...tokenOfRow(row, now), token }
    },
    async revoke(id) {
      if (!(await store.deleteToken(db, id))) throw new Problem('not_found', `There is no token ${id}`)
      parts.onAccessChanged()
    },
    async identify(token) {
      if (!isToken(token, prefix)) return undefined
      const row = await store.findTokenByHash(db, hashToken(token))
      const now = clock.now()
      if (row === undefined || isExpired(row, now)) return undefined
      if (now - (row.last_used_at ?? 0) > useResolution) await store.touchToken(db, row.id, now)
      return { name: row.name, via: { kind: 'token', id: row.id, role: row.role } }
    },
  }
}

const isExpired = (row: TokenRow, now: number): boolean => row.expires_at !== null && row.expires_at <= now

const moment = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

function tokenOfRow(row: TokenRow, now: number): Token {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: moment(row.expires_at),
    expired: isExpired(row, now),
    last_used_at: moment(row.last_used_at),
  }
}
