import { tokenRoutes } from '@hearth/accounts/token-routes'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { notFound, signInOff } from '../problems.ts'
import { accountActor } from '../security-log/event-origin.ts'
import { schemas, type TokenPermissions } from './schema.ts'
import type { Tokens } from './tokens.ts'

const limit = (perMinute: Limit) => perMinute

/** The account's API tokens. They are made while sign-in is on, by a session. */
export function ownTokenRoutes({ own }: Tokens, securityLog: SecurityLog): Route[] {
  const access = 'account' satisfies Access
  return tokenRoutes<TokenPermissions, Caller>(own, {
    path: '/api/session/tokens',
    access: { session: access, create: access },
    limits: { read: limit('60'), write: limit('10') },
    schemas,
    securityLog,
    ownerOf({ username, sessionKey }) {
      if (sessionKey === undefined) throw signInOff()
      return accountActor(username)
    },
    noSuchToken: () => notFound('token'),
    errors: [409],
  })
}
