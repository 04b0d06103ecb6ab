import { randomUUIDv7 } from 'node:crypto'
import type { RequestOrigin } from '@hearth/accounts'
import { signInOpenIdUser, type OpenIdIdentity, type OpenIdSource } from '@hearth/accounts/openid'
import { openIdRoutes } from '@hearth/accounts/openid-routes'
import { createSessionKey, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Route } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { Access, Caller, Limit } from '../access.ts'
import { envelope } from '../envelope.ts'
import { notFound } from '../problems.ts'
import type { Publish } from '../service-event.ts'
import type { Tables, UserRow } from '../tables.ts'
import { cookieOptions, keepSession, type SessionContext } from './routes.ts'
import type { Sessions } from './sessions.ts'

/** Path of the routes of sign-in through an OpenID Connect provider. */
export const openIdPath = '/api/openid'

/** Dependencies of sign-in through a provider. */
export interface OpenIdSignInDependencies {
  readonly openId: OpenIdSource
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly sessions: Sessions
  readonly publish: Publish
  readonly onAccessChanged: (userId: string) => void
  readonly context: SessionContext
}

/** Sign-in through an OpenID Connect provider. */
export function openIdSignInRoutes(dependencies: OpenIdSignInDependencies): Route[] {
  const { openId, sessions, context } = dependencies
  return openIdRoutes<Caller | undefined>(openId, {
    path: openIdPath,
    tag: 'Session',
    access: 'public' satisfies Access,
    limits: { provider: 'none' satisfies Limit, signIn: 'counted' satisfies Limit },
    signInPage: '/',
    cookie: { name: 'hearth_vpn_openid', isSecure: (client) => cookieOptions(client, context).secure },
    securityLog: context.securityLog,
    notConfigured: () => notFound('OpenID Connect provider'),
    envelope,
    async onSignedIn(identity, call) {
      const opened = await sessions.open(await findUser(dependencies, identity, call.client), call.client)
      await keepSession({ context, call }, opened, 'openid')
      return opened.key
    },
  })
}

/** Returns the user that a person is, new if need be, and tells open pages what the sign-in changed. */
async function findUser(
  dependencies: OpenIdSignInDependencies,
  identity: OpenIdIdentity,
  from: RequestOrigin,
): Promise<UserRow> {
  const { database, clock, context, publish, onAccessChanged } = dependencies
  const now = clock.now()
  const { user, change } = await signInOpenIdUser<UserRow, Tables>(database, identity, {
    now,
    securityLog: context.securityLog,
    from,
    newRow: (person, role) => newUserRow(person, role, now),
  })
  if (change === undefined) return user
  if (change === 'role') onAccessChanged(user.id)
  publish({ type: 'changed', collection: 'users', id: user.id })
  return user
}

/** A user with a password that nobody knows: an administrator may set another one. */
async function newUserRow({ username, email }: OpenIdIdentity, role: 'admin' | 'user', now: number): Promise<UserRow> {
  return {
    id: randomUUIDv7(),
    username,
    email: email ?? `${username}@openid.invalid`,
    role,
    password_hash: await hashPassword(createSessionKey()),
    is_active: 1,
    password_change_required: 0,
    created_at: now,
    last_login_at: null,
    last_login_ip: null,
  }
}
