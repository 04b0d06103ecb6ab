import { routeFor, type Route } from '@hearth/http'
import { z } from 'zod'
import type { Actor } from '../security-log/security-event.ts'
import type { SecurityLog } from '../security-log/security-log.ts'
import type { BoundTokens, NewBoundToken } from './bound-tokens.ts'
import { tokenTag } from './describe.ts'
import { TokenRevoked, type TokenSchemas } from './schema.ts'
import { tokenCreated, tokenRevoked } from './token-events.ts'

/** The place of the users' own API tokens in a service's API. Its accesses must be for sessions: no token makes another. */
export interface TokenMount<Permissions extends string, Caller> {
  /** Such as `/api/session/tokens`. */
  readonly path: string
  /** `create` may ask for more, such as a recent proof. */
  readonly access: { readonly session: string; readonly create: string }
  readonly limits: { readonly read: string; readonly write: string }
  readonly schemas: TokenSchemas<Permissions>
  readonly securityLog: SecurityLog
  /** The owner of the tokens. Throws where nobody can have any. */
  readonly ownerOf: (caller: Caller) => Actor
  /** Throws when the caller may not have such a token. */
  readonly checkNew?: (caller: Caller, input: NewBoundToken<Permissions>) => void
  readonly noSuchToken: () => Error
  /** Statuses that `ownerOf` adds. */
  readonly errors?: readonly number[]
}

const Params = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/, 'must not contain a null character')
    .toLowerCase(),
})

/** Returns the routes that list, create and revoke the caller's own API tokens, for the service to mount. */
export function tokenRoutes<Permissions extends string, Caller>(
  tokens: BoundTokens<Permissions, unknown>,
  mount: TokenMount<Permissions, Caller>,
): Route[] {
  const { path, access, limits, schemas, securityLog, ownerOf, errors = [] } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { tag: tokenTag.name, path, access: access.session, limit: limits.write } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'List your API tokens',
        limit: limits.read,
        success: { status: 200, body: schemas.TokenList },
        errors,
      },
      async ({ caller }) => ({ tokens: await tokens.list(ownerOf(caller).userId) }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        access: access.create,
        summary: 'Create an API token',
        description: 'The value is shown in this answer and never again. Programs send it as `Authorization: Bearer`.',
        body: schemas.TokenCreate,
        success: { status: 201, body: schemas.TokenCreated },
        errors: [409],
      },
      async ({ caller, body, client: from }) => {
        const by = ownerOf(caller)
        const input = body as NewBoundToken<Permissions>
        mount.checkNew?.(caller, input)
        const created = tokens.create(by.userId, input)
        return securityLog.recordAfter(created, tokenCreated(input, { by, from }))
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: `${path}/{id}`,
        summary: 'Revoke an API token',
        description: 'Whoever uses it is refused at once, and what it still downloads ends.',
        params: Params,
        success: { status: 200, body: TokenRevoked },
        errors: [404, ...errors],
      },
      async ({ caller, params, client: from }) => {
        const by = ownerOf(caller)
        const revoked = await tokens.revoke(by.userId, params.id)
        if (revoked === undefined) throw mount.noSuchToken()
        await securityLog.record(tokenRevoked(revoked, { by, from }))
        return { id: revoked.id, name: revoked.name }
      },
    ),
  ]
}
