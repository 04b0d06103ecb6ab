import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { openIdConnectionRoutes } from '@hearth/accounts/openid-connection-routes'
import type { SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { envelope } from '../envelope.ts'
import { forbidden, Problem } from '../problems.ts'
import { openIdPath } from '../sessions/openid.ts'
import { cookieOptions, type SessionContext } from '../sessions/routes.ts'
import { methodCallerOf } from './routes.ts'
import type { PasskeyHolder } from './sign-in-methods.ts'

/** The connection to a Hearth portal, for administrators. */
export function portalConnectionRoutes(
  connection: OpenIdConnection,
  methods: SignInMethods<PasskeyHolder>,
  context: SessionContext,
): Route[] {
  return openIdConnectionRoutes<Caller>(connection, {
    path: openIdPath,
    tag: 'Session',
    access: { visitor: 'public' satisfies Access, administrator: 'admin' satisfies Access },
    limits: { read: 'counted' satisfies Limit, change: 'counted' satisfies Limit, visitor: 'counted' satisfies Limit },
    settingsPage: '/settings',
    cookie: { name: 'hearth_vpn_connection', isSecure: (client) => cookieOptions(client, context).secure },
    callerOf,
    prove: (caller, proof) => methods.checkPassword(callerOf(caller), proof),
    refuse: (detail) => new Problem('conflict', detail),
    envelope,
  })
}

/** Programs with a token connect nothing: a browser goes to the portal. */
function callerOf({ via, ...user }: Caller) {
  if (via.kind === 'token') throw forbidden('This needs a signed-in administrator, not a token')
  return methodCallerOf({ ...user, via })
}
