import { tokenCreated, tokenRevoked } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { messageEnvelope, page, pageEnvelope } from '../envelope.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import { Token, TokenCreate, TokenCreated, TokenListQuery, TokenParams, TokenRevoked } from './schema.ts'
import type { Tokens } from './tokens.ts'

/** The signed-in user's own API tokens. A token cannot make another: these need a session. */
export function tokenRoutes(tokens: Tokens, publish: Publish, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'API tokens', path: '/api/session/tokens', access: 'session', limit: 'counted' } as const
  const edited = createEditAnswer(publish, 'tokens')
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'List your API tokens',
        query: TokenListQuery,
        success: { status: 200, body: pageEnvelope(Token) },
      },
      async ({ caller, query }) => page(await tokens.list(caller.userId, query), query),
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
      ({ caller, body, client }) => {
        const created = securityLog.recordAfter(
          tokens.create(caller, body),
          tokenCreated(body, { by: caller, from: client }),
        )
        return edited(created, ({ name }) => `Token ${name} created`)
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
      ({ caller, params, client }) => {
        const revoked = securityLog.recordAfter(tokens.revoke(caller.userId, params.id), (token) =>
          tokenRevoked(token, { by: caller, from: client }),
        )
        return edited(revoked, ({ name }) => `Token ${name} revoked`)
      },
    ),
  ]
}
