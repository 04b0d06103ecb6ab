import type { SignInMethod } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { OwnSession, OwnSessionPath } from '@hearth/accounts/own-sessions'
import type { Call, Route } from '@hearth/http'
import { z } from 'zod'
import { route, sessionCookie, type Caller } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import { PasswordChange, Session, SignIn } from './schema.ts'
import type { UserRow } from '../tables.ts'
import type { Sessions } from './sessions.ts'

type Client = Call<unknown, undefined, undefined, undefined>['client']

/** Context of the session routes. */
export interface SessionContext {
  /** Gives back the count of an anonymous request that turned out to be a sign-in. */
  readonly refundSignIn: (address: string, request: 'read' | 'write') => void
  /** True when users open the service by an https URL: its cookie is then sent over https alone. */
  readonly isPublishedSecurely: boolean
  readonly securityLog: SecurityLog
}

/** Sign-in, sign-out and the change of the own password. */
export function sessionRoutes(sessions: Sessions, context: SessionContext): Route[] {
  return [
    ...signInRoutes(sessions, context),
    ...ownSessionRoutes(sessions, context),
    ...sessionListRoutes(sessions, context),
  ]
}

function signInRoutes(sessions: Sessions, context: SessionContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/session',
        tag: 'Session',
        summary: 'Sign in',
        description:
          'Sets the session cookie. Five failures from one address close sign-in for it for up to 15 minutes.',
        access: 'public',
        limit: 'counted',
        body: SignIn,
        success: { status: 200, body: messageEnvelope(Session) },
        errors: [401],
      },
      async ({ caller, body, client, answer }) => {
        const { securityLog } = context
        const attempt = sessions.signIn({ ...body, address: client.address, userAgent: client.userAgent })
        const opened = await securityLog.watch(attempt, { from: client, username: body.username })
        return done(await keepSession({ context, call: { caller, client, answer } }, opened, 'password'), 'Signed in')
      },
    ),
  ]
}

interface SignInRequest {
  readonly context: SessionContext
  readonly call: Pick<Call<Caller | undefined, undefined, undefined, undefined>, 'caller' | 'client' | 'answer'>
}

/** Opens a session of a user who proved who they are, and sets its cookie. */
export async function openSessionOf(
  { sessions, ...request }: SignInRequest & { readonly sessions: Sessions },
  user: UserRow,
  method: SignInMethod,
): Promise<Session> {
  return keepSession(request, await sessions.open(user, request.call.client), method)
}

/** Records a sign-in and sets the cookie of its session. */
export async function keepSession(
  { context, call: { caller, client, answer } }: SignInRequest,
  { key, session }: { readonly key: string; readonly session: Session },
  method: SignInMethod,
): Promise<Session> {
  const { id: userId, username } = session.user
  await context.securityLog.record({ kind: 'sign_in', by: { userId, username }, from: client, method })
  // A provider sends people back by GET.
  if (caller === undefined) context.refundSignIn(client.address, method === 'openid' ? 'read' : 'write')
  answer.setCookie(sessionCookie, key, cookieOptions(client, context))
  return session
}

function ownSessionRoutes(sessions: Sessions, context: SessionContext): Route[] {
  const shared = { tag: 'Session', path: '/api/session', access: 'any-session', limit: 'counted' } as const
  return [
    route(
      { ...shared, method: 'GET', summary: 'Who is signed in', success: { status: 200, body: dataEnvelope(Session) } },
      async ({ caller }) => ok(await sessions.describe(caller)),
    ),
    route(
      { ...shared, method: 'DELETE', summary: 'Sign out', success: { status: 200, body: messageEnvelope(z.null()) } },
      async ({ caller, answer, client }) => {
        await context.securityLog.recordAfter(sessions.signOut(caller), { kind: 'sign_out', by: caller, from: client })
        answer.clearCookie(sessionCookie, cookieOptions(client, context))
        return done(null, 'Signed out')
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/session/password',
        summary: 'Change your password',
        description: 'Ends your other sessions. The first sign-in with a generated password requires it.',
        body: PasswordChange,
        success: { status: 200, body: messageEnvelope(Session) },
      },
      async ({ caller, body, client }) => {
        const { securityLog } = context
        const input = { current: body.current_password, next: body.new_password }
        const proof = securityLog.watch(sessions.changePassword(caller, input), {
          from: client,
          username: caller.username,
        })
        const event = { kind: 'password_changed', by: caller, from: client } as const
        return done(await securityLog.recordAfter(proof, event), 'Password changed')
      },
    ),
  ]
}

function sessionListRoutes(sessions: Sessions, { securityLog }: SessionContext): Route[] {
  const shared = { tag: 'Session', access: 'session', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/sessions',
        summary: 'List your sessions',
        success: { status: 200, body: dataEnvelope(z.array(OwnSession)) },
      },
      async ({ caller }) => ok(await sessions.listOwn(caller)),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/sessions/{id}',
        summary: 'End one of your sessions',
        params: OwnSessionPath,
        success: { status: 200, body: messageEnvelope(z.null()) },
        errors: [404],
      },
      async ({ caller, params, client }) => {
        const ending = sessions.endOwn(caller, params.id)
        await securityLog.recordAfter(ending, (target) => ({
          kind: 'session_ended',
          by: caller,
          from: client,
          target,
        }))
        return done(null, 'Session ended')
      },
    ),
  ]
}

/** Options of the session's cookie. */
export function cookieOptions(client: Client, { isPublishedSecurely }: Pick<SessionContext, 'isPublishedSecurely'>) {
  const secure = client.secure || isPublishedSecurely
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const
}
