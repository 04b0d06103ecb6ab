import { addressGroup, allowanceHeaders, createBudget, HttpError, type GuardedRequest } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { BoundTokens, FoundToken } from './bound-tokens.ts'

/** Wrong tokens that one address may send, a minute. */
const wrongPerMinute = 10

/**
 * Reads the token of a request's header `Authorization: Bearer`; undefined without one, as a header of another scheme belongs
 * to a proxy. A malformed one is empty, which no token is.
 */
export function readBearer({ request }: Pick<GuardedRequest, 'request'>): string | undefined {
  const { authorization } = request.headers
  if (authorization === undefined || !/^Bearer\b/i.test(authorization)) return undefined
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
}

/** Checks the token of a request. Throws an `HttpError` for one that is wrong, or used from elsewhere than it may be. */
export type CheckToken<Permissions extends string, Owner> = (
  guarded: GuardedRequest,
  value: string,
) => Promise<FoundToken<Permissions, Owner>>

/** Creates the check of tokens. Wrong ones count by address, and too many of them are answered with 429. */
export function createTokenCheck<Permissions extends string, Owner>(
  tokens: BoundTokens<Permissions, Owner>,
  clock: Clock,
): CheckToken<Permissions, Owner> {
  const budget = createBudget({ limit: wrongPerMinute, windowSeconds: 60, clock })
  return async ({ client, reply }, value) => {
    const token = await tokens.find(value)
    if (token === undefined) {
      reply.header('www-authenticate', 'Bearer')
      const allowance = budget.take(addressGroup(client.address))
      if (allowance.allowed) throw new HttpError({ kind: 'unauthenticated' })
      reply.headers(allowanceHeaders(allowance, clock.now()))
      throw new HttpError({ kind: 'rate-limited', ...allowance })
    }
    if (!token.mayComeFrom(client.address)) throw tokenForbidden('the token may not be used from this address')
    await token.noteUse(client.address)
    return token
  }
}

/**
 * Throws an `HttpError` unless the permissions of a token are enough for a request.
 *
 * @param order all permissions, from the least to the most
 * @param least those that the request needs; undefined where only a session will do
 */
export function checkTokenPermissions<Permissions extends string>(
  order: readonly Permissions[],
  given: Permissions,
  least: Permissions | undefined,
): void {
  if (least === undefined) throw tokenForbidden('this needs a signed-in session, not a token')
  if (order.indexOf(given) < order.indexOf(least))
    throw tokenForbidden(`this needs a token with the permissions ${least}`)
}

const tokenForbidden = (reason: string) =>
  new HttpError({ kind: 'forbidden', reason: `Insufficient permissions: ${reason}` })
