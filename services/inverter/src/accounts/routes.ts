import type { SignInMethod } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { OwnSessionPath, OwnSessions } from '@hearth/accounts/own-sessions'
import type { Call, Route } from '@hearth/http'
import { z } from 'zod'
import { route, sessionCookie } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import { PasswordChange, Session, SignIn } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Client = Call<unknown, undefined, undefined, undefined>['client']

const Message = z.object({ message: z.string() }).meta({ id: 'Message' })

/** Context of the session routes. */
export interface SessionContext {
  readonly isPublishedSecurely: boolean
  readonly securityLog: SecurityLog
}

/** Options of the session's cookie. */
export function cookieOptions(client: Client, isPublishedSecurely: boolean) {
  const secure = client.secure || isPublishedSecurely
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const
}

/** Sign-in, sign-out and the change of the password. */
export function sessionRoutes(sessions: Sessions, context: SessionContext): Route[] {
  const { securityLog } = context
  const shared = { tag: 'Administration', path: '/admin/api/session', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Sign in',
        description: 'Sets the session cookie. After five failures in five minutes an address waits for fifteen.',
        access: 'public',
        body: SignIn,
        success: { status: 200, body: Session },
        errors: [401],
      },
      async ({ body, client, answer }) => {
        const attempt = sessions.signIn({ ...body, address: client.address, userAgent: client.userAgent })
        const opened = await securityLog.watch(attempt, { from: client, username: body.username })
        return keepSession({ context, call: { client, answer } }, opened, 'password')
      },
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Current session',
        access: 'any-session',
        success: { status: 200, body: Session },
      },
      ({ caller }) => sessions.describe(caller.via.key),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Sign out',
        access: 'any-session',
        success: { status: 200, body: Message },
      },
      async ({ caller, client, answer }) => {
        const ending = sessions.signOut(caller.via.key)
        await securityLog.recordAfter(ending, { kind: 'sign_out', ...eventOrigin(caller, client) })
        answer.clearCookie(sessionCookie, cookieOptions(client, context.isPublishedSecurely))
        return { message: 'Signed out' }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/admin/api/session/password',
        summary: 'Change the password',
        description: 'Ends the other sessions. The first sign-in with the generated password requires it.',
        access: 'any-session',
        body: PasswordChange,
        success: { status: 200, body: Session },
      },
      ({ caller, body, client }) => {
        const input = { current: body.current_password, next: body.new_password }
        const change = sessions.changePassword(caller.via.key, input)
        const watched = securityLog.watch(change, { from: client, username: caller.name })
        return securityLog.recordAfter(watched, { kind: 'password_changed', ...eventOrigin(caller, client) })
      },
    ),
  ]
}

interface SignInRequest {
  readonly context: SessionContext
  readonly call: Pick<Call<unknown, undefined, undefined, undefined>, 'client' | 'answer'>
  /** The person whom an OpenID Connect provider proved, for the security log. */
  readonly person?: string
}

/** Opens a session of an administrator who proved who they are, and sets its cookie. */
export async function openSessionOf(
  { sessions, ...request }: SignInRequest & { readonly sessions: Sessions },
  username: string,
  method: SignInMethod,
): Promise<Session> {
  const opened = await sessions.open(username, request.call.client, method === 'openid' ? method : null)
  return keepSession(request, opened, method)
}

/** Records a sign-in and sets the cookie of its session. */
export async function keepSession(
  { context, call: { client, answer }, person: target }: SignInRequest,
  { key, session }: { readonly key: string; readonly session: Session },
  method: SignInMethod,
): Promise<Session> {
  const { id: userId, username } = session.user
  const event = { kind: 'sign_in', by: { userId, username }, from: client, method } as const
  await context.securityLog.record({ ...event, ...(target !== undefined && { target }) })
  answer.setCookie(sessionCookie, key, cookieOptions(client, context.isPublishedSecurely))
  return session
}

/** The administrator's own sessions. */
export function sessionListRoutes(sessions: Sessions, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Administration', access: 'any-session', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/admin/api/sessions',
        summary: 'List your sessions',
        success: { status: 200, body: OwnSessions },
      },
      async ({ caller }) => ({ sessions: await sessions.listOwn(caller.via.key) }),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/admin/api/sessions/{id}',
        summary: 'End one of your sessions',
        params: OwnSessionPath,
        success: { status: 200, body: Message },
        errors: [404],
      },
      async ({ caller, params, client }) => {
        const ending = sessions.endOwn(caller.via.key, params.id)
        const origin = eventOrigin(caller, client)
        await securityLog.recordAfter(ending, (target) => ({ kind: 'session_ended', ...origin, target }))
        return { message: 'Session ended' }
      },
    ),
  ]
}
