import { createTokenGate, type Actor, type AnyQuery } from '@hearth/accounts'
import type { GuardedRequest } from '@hearth/http'
import type { Timers } from '@hearth/runtime'
import type { TokenCaller } from '../access.ts'
import type { TokenPermissions } from './schema.ts'

/** API tokens of the account. */
export type Tokens = ReturnType<typeof createTokens>

interface TokenDependencies {
  readonly db: AnyQuery
  readonly timers: Timers
  /** The account, when it has this id; undefined when none was set up. */
  readonly findAccount: (id: string) => Actor | undefined
  /** Called with the id of each token that was revoked: its streams must end. */
  readonly onRevoked: (id: string) => void
}

/** Creates the tokens, with the check of those that requests bring. */
export function createTokens({ db, timers, findAccount, onRevoked }: TokenDependencies) {
  const { own, identify, close } = createTokenGate<TokenPermissions, Actor>({
    query: db,
    timers,
    prefix: 'hmed',
    findOwner: (id) => Promise.resolve(findAccount(id)),
    onRevoked,
  })
  return {
    own,
    /** Returns the program behind a token. Throws an `HttpError` for a wrong one. */
    async identify(guarded: GuardedRequest, value: string): Promise<TokenCaller> {
      const { id, permissions, owner } = await identify(guarded, value)
      return { username: owner.username, sessionKey: undefined, tokenId: id, permissions }
    },
    /** Resolves to true if a token is still valid. */
    isUsable: async (id: string) => (await own.ownerOf(id)) !== undefined,
    close,
  }
}
