import type { SecurityLog } from '@hearth/accounts/security-log'
import { checkAdministrator, type OpenIdSource } from '@hearth/accounts/openid'
import { openIdRoutes } from '@hearth/accounts/openid-routes'
import type { Route } from '@hearth/http'
import type { Access, Limit } from '../access.ts'
import { Problem } from '../problems.ts'
import { cookieOptions, keepSession } from './routes.ts'
import { administrator, type Sessions } from './sessions.ts'

/** Path of the routes of sign-in through an OpenID Connect provider. */
export const openIdPath = '/admin/api/openid'

/** Dependencies of sign-in through a provider. */
export interface OpenIdSignInDependencies {
  readonly openId: OpenIdSource
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly isPublishedSecurely: boolean
}

/** Sign-in of the administrator through an OpenID Connect provider; the security log names the person. */
export function openIdSignInRoutes(dependencies: OpenIdSignInDependencies): Route[] {
  const { openId, sessions, securityLog, isPublishedSecurely } = dependencies
  return openIdRoutes(openId, {
    path: openIdPath,
    tag: 'Administration',
    access: 'public' satisfies Access,
    limits: { provider: 'counted' satisfies Limit, signIn: 'counted' satisfies Limit },
    signInPage: '/',
    cookie: { name: 'hearth_inverter_openid', isSecure: (client) => cookieOptions(client, isPublishedSecurely).secure },
    securityLog,
    notConfigured: () => new Problem('not_found', 'There is no OpenID Connect provider'),
    async onSignedIn(identity, call) {
      checkAdministrator(identity)
      const context = { securityLog, isPublishedSecurely }
      const opened = await sessions.open(administrator, call.client, 'openid')
      await keepSession({ context, call, person: identity.name }, opened, 'openid')
      return opened.key
    },
  })
}
