import { signInMethodRoutes } from '@hearth/accounts/sign-in-method-routes'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import type { PageCookies } from '../accounts/routes.ts'
import { SignInAnswer } from '../accounts/schema.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { signInOff } from '../problems.ts'
import { accountActor } from '../security-log/event-origin.ts'

/** The account of a session, with its key. Throws while sign-in is off. */
export function methodCallerOf({ username, sessionKey }: Caller) {
  if (sessionKey === undefined) throw signInOff()
  return { ...accountActor(username), key: sessionKey }
}

/** Parts of the service that the routes of passkeys and recovery codes call. */
export interface SignInMethodRoutesContext {
  readonly methods: SignInMethods<MethodUser>
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly isPublishedSecurely: boolean
}

/** Passkeys and recovery codes: signing in with them, and the account's own. They exist while sign-in is on. */
export function ownMethodRoutes(context: SignInMethodRoutesContext, cookies: PageCookies): Route[] {
  const { methods, sessions, securityLog, isPublishedSecurely } = context
  const limit = (perMinute: Limit) => perMinute
  return signInMethodRoutes<MethodUser, Caller | undefined, Caller>(methods, {
    prefix: '/api',
    tag: 'Sign-in',
    access: { visitor: 'public' satisfies Access, user: 'account' satisfies Access },
    limits: { start: limit('30'), signIn: limit('5'), read: limit('60'), write: limit('10') },
    cookie: { name: 'hearth_media_passkey', isPublishedSecurely },
    checkOpen() {
      if (!sessions.isOn()) throw signInOff()
    },
    callerOf: methodCallerOf,
    session: {
      schema: SignInAnswer,
      async open(call, { username }, method) {
        cookies.setSession(call, await sessions.open(username, call.client))
        await securityLog.record({ kind: 'sign_in', by: accountActor(username), from: call.client, method })
        return { ok: true, redirect: '/' }
      },
    },
    recoversPasswords: false,
  })
}
