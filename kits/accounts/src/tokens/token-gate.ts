import type { GuardedRequest } from '@hearth/http'
import type { Timers } from '@hearth/runtime'
import { BoundTokens, type BoundTokenDependencies, type FoundToken } from './bound-tokens.ts'
import { createTokenCheck } from './check-token.ts'
import { OpenAnswers } from './open-answers.ts'

/** Dependencies of `createTokenGate`. */
export interface TokenGateDependencies<Owner> extends Pick<
  BoundTokenDependencies<Owner>,
  'query' | 'prefix' | 'findOwner'
> {
  readonly timers: Timers
  /** Called with the id of each token that was revoked: its event streams must end. */
  readonly onRevoked: (id: string) => void
}

/** Creates the API tokens of a service and the gate in front of it, which lets programs in by a header and ends what they still get when their token does. */
export function createTokenGate<Permissions extends string, Owner>({
  timers,
  onRevoked,
  ...dependencies
}: TokenGateDependencies<Owner>) {
  const own = new BoundTokens<Permissions, Owner>({
    ...dependencies,
    clock: timers,
    onRevoked({ id }) {
      onRevoked(id)
      answers.end(id)
    },
  })
  const check = createTokenCheck(own, timers)
  const answers = new OpenAnswers({ timers, isUsable: async (id) => (await own.ownerOf(id)) !== undefined })
  /** Returns the token of a request. Throws an `HttpError` for a wrong one. */
  const identify = async (guarded: GuardedRequest, value: string): Promise<FoundToken<Permissions, Owner>> => {
    const token = await check(guarded, value)
    answers.follow(guarded.reply.raw, token.id)
    return token
  }
  return { own, identify, close: () => answers.close() }
}
