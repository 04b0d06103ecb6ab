import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { openIdConnectionRoutes } from '@hearth/accounts/openid-connection-routes'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { openIdPath } from '../accounts/openid.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { conflict } from '../problems.ts'
import { methodCallerOf } from './routes.ts'

/** Parts of the service that the routes of the connection to a portal call. */
export interface PortalConnectionContext {
  readonly openIdConnection: OpenIdConnection
  readonly signInMethods: SignInMethods<MethodUser>
  readonly account: { readonly isPublishedSecurely: boolean; readonly sessions: Pick<Sessions, 'endWith'> }
}

/** The connection to a Hearth portal. It is made and ended while sign-in is on. */
export function portalConnectionRoutes(context: PortalConnectionContext): Route[] {
  const { openIdConnection, signInMethods, account } = context
  return openIdConnectionRoutes<Caller>(openIdConnection, {
    path: openIdPath,
    tag: 'Sign-in',
    access: {
      visitor: 'public' satisfies Access,
      administrator: 'account' satisfies Access,
      program: 'visitor' satisfies Access,
    },
    limits: { read: '60' satisfies Limit, change: '10' satisfies Limit, visitor: '20' satisfies Limit },
    settingsPage: '/settings?tab=access',
    cookie: { name: 'hearth_media_connection', isSecure: ({ secure }) => secure || account.isPublishedSecurely },
    callerOf: methodCallerOf,
    prove: (caller, proof) => signInMethods.checkPassword(methodCallerOf(caller), proof),
    endSessions: (hashes) => account.sessions.endWith(hashes),
    refuse: conflict,
  })
}
