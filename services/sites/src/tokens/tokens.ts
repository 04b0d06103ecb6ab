import { createTokenGate, type AnyQuery } from '@hearth/accounts'
import type { GuardedRequest } from '@hearth/http'
import type { Timers } from '@hearth/runtime'
import type { TokenCaller } from '../access.ts'
import type { UserRow } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import type { TokenPermissions } from './schema.ts'

/** API tokens of the users. */
export type Tokens = ReturnType<typeof createTokens>

interface TokenDependencies {
  readonly db: AnyQuery
  readonly timers: Timers
  /** Called with the key of each token that was revoked: its streams must end. */
  readonly onRevoked: (key: string) => void
}

/** Creates the tokens, with the check of those that requests bring. */
export function createTokens({ db, timers, onRevoked }: TokenDependencies) {
  const { own, identify, close } = createTokenGate<TokenPermissions, UserRow>({
    query: db,
    timers,
    prefix: 'hsit',
    async findOwner(userId) {
      const owner = await usersIn(db).find(userId)
      return owner?.is_active === 1 && owner.sites_only === 0 ? owner : undefined
    },
    onRevoked: (id) => onRevoked(keyOf(id)),
  })
  return {
    own,
    /** Returns the program behind a token. Throws an `HttpError` for a wrong one. */
    async identify(guarded: GuardedRequest, value: string): Promise<TokenCaller> {
      const { id, permissions, owner } = await identify(guarded, value)
      const { id: userId, username, role } = owner
      return { userId, username, role, permissions, tokenId: id, key: keyOf(id), provedAt: 0 }
    },
    /** Returns the present role of a token's user; undefined when the token is over. */
    roleNow: async (id: string) => (await own.ownerOf(id))?.role,
    close,
  }
}

/** No session has such a key. */
const keyOf = (id: string): string => `token:${id}`
