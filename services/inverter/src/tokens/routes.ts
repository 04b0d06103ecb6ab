import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { NewToken, Token, TokenCreate } from './schema.ts'
import type { Tokens } from './tokens.ts'

/** Access tokens: listing, making, revoking. */
export function tokenRoutes(tokens: Tokens, changed: () => void): Route[] {
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
      async ({ body }) => {
        const token = await tokens.create(body)
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
      async ({ params }) => {
        await tokens.revoke(params.id)
        changed()
        return { message: 'Token revoked' }
      },
    ),
  ]
}
