import { randomUUIDv7 } from 'node:crypto'
import { createToken, hashToken } from '@hearth/credentials'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { AccountTables } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import { portalTokenPrefix } from '../caddy/sign-in-routes.ts'
import { conflict, invalidField, notFound } from '../problems.ts'
import { findSiteRow } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { PortalState } from './portal-state.ts'
import type { SiteTokenCreate, SiteTokenView } from './schema.ts'
import * as store from './store.ts'
import type { PortalTables, PortalTokenRow } from './tables.ts'

/** Dependencies of the tokens of sites. */
export interface SiteTokenDependencies {
  readonly db: Kysely<AccountTables & PortalTables & SiteTables>
  readonly clock: Clock
  readonly state: Pick<PortalState, 'refresh'>
}

/** Most tokens that there may be. */
const maxTokens = 1000
const day = 86_400_000

/** Tokens with which programs visit protected sites. Decisions know of an edit before it resolves. */
export type SiteTokens = ReturnType<typeof createSiteTokens>

/** Creates the tokens. Each is for one site, and only its hash is stored. */
export function createSiteTokens({ db, clock, state }: SiteTokenDependencies) {
  return {
    list: async (): Promise<SiteTokenView[]> => (await store.listTokenRows(db)).map(viewOf),
    async create(input: SiteTokenCreate): Promise<SiteTokenView & { token: string }> {
      if ((await findSiteRow(db, input.site_id)) === undefined) throw invalidField('site_id', 'names no site')
      if ((await usersIn(db).find(input.user_id)) === undefined) throw invalidField('user_id', 'names no user')
      if ((await store.listTokenRows(db)).length >= maxTokens) throw conflict(`There are ${maxTokens} tokens already`)
      const token = createToken(portalTokenPrefix)
      const now = clock.now()
      const row: PortalTokenRow = {
        id: randomUUIDv7(),
        token_hash: hashToken(token),
        user_id: input.user_id,
        site_id: input.site_id,
        name: input.name,
        created_at: now,
        expires_at: input.expires_in_days === null ? null : now + input.expires_in_days * day,
      }
      await store.insertTokenRow(db, row)
      await state.refresh()
      return { ...viewOf(row), token }
    },
    /** Revokes a token and returns its name. */
    async remove(id: string): Promise<string> {
      const row = await store.deleteTokenRow(db, id)
      if (row === undefined) throw notFound('token')
      await state.refresh()
      return row.name
    },
  }
}

function viewOf(row: PortalTokenRow): SiteTokenView {
  return {
    id: row.id,
    name: row.name,
    site_id: row.site_id,
    user_id: row.user_id,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: toIsoString(row.expires_at),
  }
}
