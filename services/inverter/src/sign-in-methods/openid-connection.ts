import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { openIdConnectionRoutes } from '@hearth/accounts/openid-connection-routes'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { openIdPath } from '../accounts/openid.ts'
import { cookieOptions } from '../accounts/routes.ts'
import { Problem } from '../problems.ts'
import { methodCallerOf } from './routes.ts'

/** Parts of the service that the routes of the connection to a portal call. */
export interface PortalConnectionContext {
  readonly openIdConnection: OpenIdConnection
  readonly signInMethods: SignInMethods<MethodUser>
  readonly isPublishedSecurely: boolean
  /** Ends the sessions with these hashes of their keys. */
  readonly endSessions: (hashes: readonly string[]) => Promise<void>
}

/** The connection to a Hearth portal, for the administrator. */
export function portalConnectionRoutes(context: PortalConnectionContext): Route[] {
  const { openIdConnection, signInMethods, isPublishedSecurely, endSessions } = context
  return openIdConnectionRoutes<Caller>(openIdConnection, {
    path: openIdPath,
    tag: 'Administration',
    access: {
      visitor: 'public' satisfies Access,
      administrator: 'admin' satisfies Access,
      program: 'public' satisfies Access,
    },
    limits: { read: 'counted' satisfies Limit, change: 'counted' satisfies Limit, visitor: 'counted' satisfies Limit },
    settingsPage: '/settings',
    cookie: {
      name: 'hearth_inverter_connection',
      isSecure: (client) => cookieOptions(client, isPublishedSecurely).secure,
    },
    callerOf: methodCallerOf,
    prove: (caller, proof) => signInMethods.checkPassword(methodCallerOf(caller), proof),
    endSessions,
    refuse: (detail) => new Problem('conflict', detail),
  })
}
