import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import { NewToken, Token, TokenCreate } from './schema.ts'
import type { Tokens } from './tokens.ts'

/** Access tokens: listing, making, revoking. */
export function tokenRoutes(tokens: Tokens, changed: () => void, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Administration', path: '/admin/api/tokens', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'All access tokens',
        success: { status: 200, body: z.object({ tokens: z.array(Token) }).meta({ id: 'TokenList' }) },
      },
      async () => ({ tokens: await tokens.list() }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Create an access token',
        body: TokenCreate,
        success: { status: 201, body: NewToken },
        errors: [409],
      },
      async ({ caller, body, client }) => {
        const { name, role, expires } = body
        const token = await securityLog.recordAfter(tokens.create(body), {
          kind: 'token_created',
          ...eventOrigin(caller, client),
          target: name,
          detail: `${role === 'read' ? 'read' : 'read and write'}, expires: ${expires}`,
        })
        changed()
        return token
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/admin/api/tokens/{id}',
        summary: 'Revoke an access token',
        params: z.object({ id: z.uuid().toLowerCase() }),
        success: { status: 200, body: z.object({ message: z.string() }).meta({ id: 'Message' }) },
        errors: [404],
      },
      async ({ caller, params, client }) => {
        const origin = eventOrigin(caller, client)
        const revoking = tokens.revoke(params.id)
        await securityLog.recordAfter(revoking, (target) => ({ kind: 'token_revoked', ...origin, target }))
        changed()
        return { message: 'Token revoked' }
      },
    ),
  ]
}
