import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { fixedOpenId, signInOpenIdUser, type OpenId, type OpenIdIdentity } from '@hearth/accounts/openid'
import { openIdRoutes } from '@hearth/accounts/openid-routes'
import type { Database } from '@hearth/database'
import type { Route } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { Access, Limit, Visitor } from '../access.ts'
import { notFound } from '../problems.ts'
import type { Accounts } from './accounts.ts'
import { cookieFor, plainCookieName, type SessionCookies } from './session-cookie.ts'
import type { AccountTables, UserRow } from './tables.ts'
import { checkServiceUser, type Origin } from './sessions.ts'
import { maxUsers } from './users.ts'

/** Path of the routes of sign-in through an OpenID Connect provider. */
export const openIdPath = '/api/openid'

/** Dependencies of sign-in through a provider. */
export interface OpenIdSignInDependencies {
  /** Undefined when no provider is configured. */
  readonly openId: OpenId | undefined
  readonly database: Database<AccountTables>
  readonly clock: Clock
  readonly accounts: Accounts
  readonly cookies: SessionCookies
  readonly publicUrl: string | undefined
  readonly onAccessChanged: (userId: string) => void
}

/** Sign-in through an OpenID Connect provider. It counts as confirmation of who is calling, like every sign-in. */
export function openIdSignInRoutes(dependencies: OpenIdSignInDependencies): Route[] {
  const { openId, accounts, cookies, publicUrl } = dependencies
  return openIdRoutes<Visitor>(fixedOpenId(openId), {
    path: openIdPath,
    tag: 'Session',
    access: 'public' satisfies Access,
    limits: { provider: '60/min' satisfies Limit, signIn: '30/min' satisfies Limit },
    signInPage: '/',
    cookie: {
      name: plainCookieName.replace('session', 'openid'),
      isSecure: (client) => cookieFor(client, publicUrl).options.secure === true,
    },
    securityLog: accounts.securityLog,
    notConfigured: () => notFound('OpenID Connect provider'),
    async onSignedIn(identity, { caller, client, answer }) {
      const { address, userAgent } = client
      const origin = { address, userAgent, before: caller.session?.key }
      const user = await findUser(dependencies, identity, origin)
      cookies.set({ answer, client }, await accounts.sessions.open(user, 'openid', origin))
      return undefined
    },
  })
}

/** Returns the user that a person is, new if need be; whoever got another role loses open connections. */
async function findUser(
  { database, clock, accounts, onAccessChanged }: OpenIdSignInDependencies,
  identity: OpenIdIdentity,
  from: Origin,
): Promise<UserRow> {
  const now = clock.now()
  const newRow = (person: OpenIdIdentity, role: 'admin' | 'user') => newUserRow(person, role, now)
  const rules = { now, newRow, maxUsers, from, securityLog: accounts.securityLog, checkUser: checkServiceUser }
  const { user, change } = await signInOpenIdUser<UserRow, AccountTables>(database, identity, rules)
  if (change === 'role') onAccessChanged(user.id)
  return user
}

function newUserRow({ username }: OpenIdIdentity, role: 'admin' | 'user', now: number): UserRow {
  return {
    id: randomUUIDv7(),
    username,
    role,
    password_hash: null,
    is_active: 1,
    password_change_required: 0,
    user_handle: randomBytes(32).toString('base64url'),
    email: null,
    sites_only: 0,
    created_at: now,
    last_login_at: null,
  }
}
