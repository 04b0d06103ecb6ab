import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { openIdConnectionRoutes } from '@hearth/accounts/openid-connection-routes'
import type { SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import type { Access, Limit, SessionCaller } from '../access.ts'
import { envelope } from '../envelope.ts'
import { Problem } from '../problems.ts'
import { openIdPath } from '../sessions/openid.ts'
import { cookieOptions, type SessionContext } from '../sessions/routes.ts'
import { methodCallerOf } from './routes.ts'
import type { PasskeyHolder } from './sign-in-methods.ts'

/** The connection to a Hearth portal, for administrators. */
export function portalConnectionRoutes(
  connection: OpenIdConnection,
  methods: SignInMethods<PasskeyHolder>,
  context: SessionContext & { readonly endSessions: (hashes: readonly string[]) => Promise<void> },
): Route[] {
  const { endSessions } = context
  return openIdConnectionRoutes<SessionCaller>(connection, {
    path: openIdPath,
    tag: 'Session',
    access: {
      visitor: 'public' satisfies Access,
      administrator: 'admin-session' satisfies Access,
      program: 'public' satisfies Access,
    },
    limits: { read: 'counted' satisfies Limit, change: 'counted' satisfies Limit, visitor: 'counted' satisfies Limit },
    settingsPage: '/settings',
    cookie: { name: 'hearth_vpn_connection', isSecure: (client) => cookieOptions(client, context).secure },
    callerOf: methodCallerOf,
    prove: (caller, proof) => methods.checkPassword(methodCallerOf(caller), proof),
    endSessions,
    refuse: (detail) => new Problem('conflict', detail),
    envelope,
  })
}
