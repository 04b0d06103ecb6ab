import { OwnSessionPath, OwnSessions } from '@hearth/accounts/own-sessions'
import { csrfTokenOf } from '@hearth/credentials'
import type { Route } from '@hearth/http'
import { checkSite, route } from '../access.ts'
import { conflict, forbidden } from '../problems.ts'
import type { Accounts } from './accounts.ts'
import type { SessionCookies } from './session-cookie.ts'
import { CsrfToken, Done, PasswordChange, Reauthenticate, RecoveryCodes, Session, SetUp, SignIn } from './schema.ts'

/** Context of the sign-in routes. */
export interface SignInContext {
  readonly cookies: SessionCookies
  /** Gives back the count of an attempt that was a sign-in. */
  readonly refund: (spec: { method: 'POST'; path: string }, address: string) => Promise<void>
}

const tag = 'Session'

/** Setting up, signing in and out, and a user's own sign-in methods. */
export function sessionRoutes(accounts: Accounts, context: SignInContext): Route[] {
  return [
    csrfRoute(accounts, context),
    setUpRoute(accounts, context),
    ...signInRoutes(accounts, context),
    ...ownRoutes(accounts, context),
    ...sessionListRoutes(accounts),
  ]
}

function csrfRoute({ visitors }: Accounts, { cookies }: SignInContext): Route {
  return route(
    {
      method: 'GET',
      path: '/api/v1/csrf',
      tag,
      summary: 'The token for the header X-CSRF-Token',
      description:
        'Belongs to the session of the cookie. Without one a cookie for a visitor is set, good for signing in.',
      access: 'always',
      limit: '60/min',
      success: { status: 200, body: CsrfToken },
      errors: [403],
    },
    ({ caller, answer, client, header }) => {
      checkSite(header('sec-fetch-site'))
      if (caller.key !== undefined) return { token: csrfTokenOf(caller.key) }
      const key = visitors.create()
      cookies.setVisitor({ answer, client }, key)
      return { token: csrfTokenOf(key) }
    },
  )
}

function setUpRoute({ users, sessions, setUpToken, securityLog }: Accounts, { cookies }: SignInContext): Route {
  return route(
    {
      method: 'POST',
      path: '/api/setup',
      tag,
      summary: 'Make the first administrator, and sign in',
      description: 'Works once. The token stands on the terminal and in the file setup-token of the data directory.',
      access: 'always',
      limit: 'lasting 10/min 60/hour',
      body: SetUp,
      success: { status: 200, body: Session },
      errors: [403, 409],
    },
    async ({ body, answer, client }) => {
      if (await users.isSetUp()) throw conflict('This service is set up already', 'already_set_up')
      if (!setUpToken.isRight(body.token)) {
        await securityLog.failed({
          from: client,
          username: body.username,
          reason: 'invalid_setup_token',
          status: 403,
        })
        throw forbidden('The set-up token is wrong; it stands on the terminal and in the data directory', 'setup_token')
      }
      const user = await users.createFirst(body)
      if (user === undefined) throw conflict('This service is set up already', 'already_set_up')
      await setUpToken.forget()
      const { address, userAgent } = client
      return cookies.set(
        { answer, client },
        await sessions.open(user, 'set_up_token', { address, userAgent, before: undefined }),
      )
    },
  )
}

function signInRoutes({ sessions, passwords, securityLog }: Accounts, { cookies, refund }: SignInContext): Route[] {
  const shared = { path: '/api/session', tag } as const
  const signIn = { ...shared, method: 'POST' } as const
  return [
    route(
      {
        ...signIn,
        summary: 'Sign in',
        description: 'With the password, or with a recovery code in its place. Sets a new cookie.',
        access: 'public',
        limit: 'lasting 5/min 20/hour',
        body: SignIn,
        success: { status: 200, body: Session },
        errors: [401, 403],
      },
      async ({ caller, body, answer, client }) => {
        const opened = await passwords.signIn(body, {
          address: client.address,
          userAgent: client.userAgent,
          before: caller.session?.key,
        })
        await refund(signIn, client.address)
        return cookies.set({ answer, client }, opened)
      },
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Who is signed in',
        access: 'any-session',
        limit: '120/min',
        success: { status: 200, body: Session },
      },
      ({ caller }) => sessions.describe(caller.key),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Sign out',
        access: 'any-session',
        limit: '30/min',
        success: { status: 200, body: Done },
      },
      async ({ caller, answer, client }) => {
        await securityLog.recordAfter(sessions.end(caller.key), { kind: 'sign_out', by: caller, from: client })
        cookies.clear({ answer, client })
        return { success: true as const, message: 'Signed out' }
      },
    ),
  ]
}

function ownRoutes({ passwords, recoveryCodes, securityLog }: Accounts, { cookies }: SignInContext): Route[] {
  const password = { path: '/api/session/password', tag, success: { status: 200, body: Session } } as const
  return [
    route(
      {
        ...password,
        method: 'POST',
        summary: 'Change your password',
        description: 'Ends your other sessions; this one goes on with a new cookie.',
        access: 'any-session',
        limit: '5/min',
        body: PasswordChange,
      },
      async ({ caller, body, answer, client }) => {
        const event = { kind: 'password_changed', by: caller, from: client } as const
        const opened = await securityLog.recordAfter(passwords.changePassword(caller, body, client), event)
        return cookies.set({ answer, client }, opened)
      },
    ),
    route(
      {
        ...password,
        method: 'DELETE',
        summary: 'Sign in with passkeys alone from now on',
        access: 'recent-session',
        limit: '5/min',
        errors: [409],
      },
      async ({ caller, answer, client }) => {
        const event = { kind: 'password_removed', by: caller, from: client } as const
        return cookies.set({ answer, client }, await securityLog.recordAfter(passwords.removePassword(caller), event))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/api/session/reauthenticate',
        tag,
        summary: 'Confirm who you are',
        description: 'Counts for five minutes. The session goes on with a new cookie.',
        access: 'session',
        limit: '10/min',
        body: Reauthenticate,
        success: { status: 200, body: Session },
      },
      async ({ caller, body, answer, client }) =>
        cookies.set({ answer, client }, await passwords.reauthenticate(caller, body.password, client)),
    ),
    route(
      {
        method: 'POST',
        path: '/api/session/recovery-codes',
        tag,
        summary: 'Make new recovery codes',
        description: 'Ten codes in place of all there were. They are shown this once.',
        access: 'recent-session',
        limit: '5/min',
        success: { status: 200, body: RecoveryCodes },
      },
      async ({ caller, client }) => {
        const event = { kind: 'recovery_codes_created', by: caller, from: client } as const
        return { codes: await securityLog.recordAfter(recoveryCodes.create(caller.userId), event) }
      },
    ),
  ]
}

function sessionListRoutes({ sessions, securityLog }: Accounts): Route[] {
  const shared = { tag, access: 'session', limit: '60/min' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/sessions',
        summary: 'List your sessions',
        success: { status: 200, body: OwnSessions },
      },
      async ({ caller }) => ({ sessions: await sessions.listOwn(caller.key) }),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/sessions/{id}',
        summary: 'End one of your sessions',
        params: OwnSessionPath,
        success: { status: 200, body: Done },
        errors: [404],
      },
      async ({ caller, params, client }) => {
        const ending = sessions.endOwn(caller.userId, params.id)
        await securityLog.recordAfter(ending, (target) => ({
          kind: 'session_ended',
          by: caller,
          from: client,
          target,
        }))
        return { success: true as const, message: 'Session ended' }
      },
    ),
  ]
}
