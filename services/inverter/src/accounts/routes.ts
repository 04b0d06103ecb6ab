import type { Call, Route } from '@hearth/http'
import { z } from 'zod'
import { route, sessionCookie } from '../access.ts'
import { PasswordChange, Session, SignIn } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Client = Call<unknown, undefined, undefined, undefined>['client']

/** Sign-in, sign-out and the change of the password. */
export function sessionRoutes(sessions: Sessions, { isPublishedSecurely }: { isPublishedSecurely: boolean }): Route[] {
  const shared = { tag: 'Administration', path: '/admin/api/session', limit: 'counted' } as const
  const cookie = (client: Client) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: client.secure || isPublishedSecurely }) as const
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
        const { key, session } = await sessions.signIn({ ...body, address: client.address })
        answer.setCookie(sessionCookie, key, cookie(client))
        return session
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
        success: { status: 200, body: z.object({ message: z.string() }).meta({ id: 'Message' }) },
      },
      async ({ caller, client, answer }) => {
        await sessions.signOut(caller.via.key)
        answer.clearCookie(sessionCookie, cookie(client))
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
      ({ caller, body }) =>
        sessions.changePassword(caller.via.key, { current: body.current_password, next: body.new_password }),
    ),
  ]
}
