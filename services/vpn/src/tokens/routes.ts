import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope, ok, pageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import { Token, TokenCreate, TokenCreated, TokenListQuery, TokenParams, TokenRevoked } from './schema.ts'
import type { Tokens } from './tokens.ts'

/** The signed-in user's own API tokens. A token cannot make another: these need a session. */
export function tokenRoutes(tokens: Tokens, publish: Publish): Route[] {
  const shared = { tag: 'API tokens', path: '/api/session/tokens', access: 'session', limit: 'counted' } as const
  const changed = (id: string) => publish({ type: 'changed', collection: 'tokens', id })
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'List your API tokens',
        query: TokenListQuery,
        success: { status: 200, body: pageEnvelope(Token) },
      },
      async ({ caller, query }) => {
        const { rows, total } = await tokens.list(caller.userId, query)
        return { ...ok(rows), total, limit: query.limit, offset: query.offset }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Create an API token',
        description: 'The value is shown in this answer and never again.',
        body: TokenCreate,
        success: { status: 201, body: messageEnvelope(TokenCreated) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const token = await tokens.create(caller, body)
        changed(token.id)
        return done(token, `Token ${token.name} created`)
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/session/tokens/{id}',
        summary: 'Revoke an API token',
        params: TokenParams,
        success: { status: 200, body: messageEnvelope(TokenRevoked) },
        errors: [404],
      },
      async ({ caller, params }) => {
        const { id, name } = await tokens.revoke(caller.userId, params.id)
        changed(id)
        return done({ id, name }, `Token ${name} revoked`)
      },
    ),
  ]
}
