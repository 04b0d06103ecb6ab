import type { SecurityLog } from '@hearth/accounts/security-log'
import { checkAdministrator, type OpenIdSource } from '@hearth/accounts/openid'
import { openIdRoutes } from '@hearth/accounts/openid-routes'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { notFound } from '../problems.ts'
import { accountActor } from '../security-log/event-origin.ts'
import type { PageCookies } from './routes.ts'
import type { Sessions } from './sessions.ts'

/** Path of the routes of sign-in through an OpenID Connect provider. */
export const openIdPath = '/api/openid'

/** Dependencies of sign-in through a provider. */
export interface OpenIdSignInDependencies {
  readonly openId: OpenIdSource
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly isPublishedSecurely: boolean
}

/** Sign-in to the one account through an OpenID Connect provider; the security log names the person. */
export function openIdSignInRoutes(dependencies: OpenIdSignInDependencies, cookies: PageCookies): Route[] {
  const { openId, sessions, securityLog, isPublishedSecurely } = dependencies
  return openIdRoutes<Caller | undefined>(openId, {
    path: openIdPath,
    tag: 'Sign-in',
    access: 'public' satisfies Access,
    limits: { provider: '60' satisfies Limit, signIn: '20' satisfies Limit },
    signInPage: '/login',
    cookie: { name: 'hearth_media_openid', isSecure: ({ secure }) => secure || isPublishedSecurely },
    securityLog,
    notConfigured: () => notFound('OpenID Connect provider'),
    async onSignedIn(identity, call) {
      // While sign-in is off everybody is in already.
      if (!sessions.isOn()) return undefined
      checkAdministrator(identity)
      const { key, username } = await sessions.openThroughProvider(call.client)
      const by = accountActor(username)
      await securityLog.record({ kind: 'sign_in', by, from: call.client, method: 'openid', target: identity.name })
      cookies.setSession(call, key)
      return key
    },
  })
}
