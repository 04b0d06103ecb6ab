import { randomUUIDv7 } from 'node:crypto'
import type { RequestOrigin, SignInMethod } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { createSessionKey, hashToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import {
  deletePortalSessionRow,
  insertPortalSessionRow,
  renewPortalSessionRow,
} from '../accounts/portal-session-store.ts'
import type { AccountTables, UserRow } from '../accounts/tables.ts'
import { maxPortalSession, type PortalState } from './portal-state.ts'

/** Dependencies of the sessions of the portal. */
export interface PortalSessionDependencies {
  readonly db: Kysely<AccountTables>
  readonly clock: Clock
  readonly state: PortalState
  readonly securityLog: SecurityLog
}

/** Opens and ends sessions of the portal. Decisions know of it before the call resolves. */
export type PortalSessions = ReturnType<typeof createPortalSessions>

/** Creates the sessions. Of the key in the cookie only the hash is stored. */
export function createPortalSessions({ db, clock, state, securityLog }: PortalSessionDependencies) {
  return {
    /**
     * Opens a session for a user who has just proved who they are, and returns its key. The session `renewed` of the same user
     * begins anew with another key, if it still is.
     */
    async open(
      user: UserRow,
      method: SignInMethod,
      from: RequestOrigin & { readonly renewed?: string | undefined },
    ): Promise<{ id: string; key: string }> {
      const key = createSessionKey()
      const now = clock.now()
      const values = { key_hash: hashToken(key), created_at: now, proved_at: now, proved_by: method }
      const { renewed, address, userAgent } = from
      const isRenewed =
        renewed !== undefined && (await renewPortalSessionRow(db, { id: renewed, userId: user.id }, values))
      const id = isRenewed ? renewed : randomUUIDv7()
      const row = { ...values, id, user_id: user.id, address, user_agent: userAgent }
      if (!isRenewed) await insertPortalSessionRow(db, row, now - maxPortalSession)
      await state.refresh()
      const by = { userId: user.id, username: user.username }
      await securityLog.record({ kind: 'sign_in', by, from, method, detail: 'at the portal' })
      return { id, key }
    },
    /** Ends a session; false when there is none with this id. */
    async end(id: string): Promise<boolean> {
      const isEnded = await deletePortalSessionRow(db, id)
      await state.refresh()
      return isEnded
    },
  }
}
