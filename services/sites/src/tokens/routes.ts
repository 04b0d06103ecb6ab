import { tokenRoutes } from '@hearth/accounts/token-routes'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import type { Access, Limit, SessionCaller } from '../access.ts'
import { forbidden, notFound } from '../problems.ts'
import { schemas, type TokenPermissions } from './schema.ts'
import type { Tokens } from './tokens.ts'

const limit = (text: Limit) => text

/** The signed-in user's own API tokens. A token cannot make another: these need a session. */
export function ownTokenRoutes({ own }: Tokens, securityLog: SecurityLog): Route[] {
  return tokenRoutes<TokenPermissions, SessionCaller>(own, {
    path: '/api/session/tokens',
    access: { session: 'session' satisfies Access, create: 'recent-session' satisfies Access },
    limits: { read: limit('60/min'), write: limit('10/min') },
    schemas,
    securityLog,
    ownerOf: (caller) => caller,
    checkNew({ role }, { permissions }) {
      if (permissions !== 'read' && role !== 'admin')
        throw forbidden('Tokens that do more than read are for administrators only')
    },
    noSuchToken: () => notFound('token'),
  })
}
