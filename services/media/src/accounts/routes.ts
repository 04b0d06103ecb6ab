import { safeNextUrl } from '@hearth/accounts/next-url'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { OwnSessionPath, OwnSessions } from '@hearth/accounts/own-sessions'
import { seeOther, type Call, type Route } from '@hearth/http'
import { z } from 'zod'
import { route, sessionCookie, type Caller } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import { accountActor, eventOrigin } from '../security-log/event-origin.ts'
import { version } from '../version.ts'
import type { Captcha } from './captcha.ts'
import { csrfCookie, type CsrfTokens } from './csrf.ts'
import { SessionEnded, SessionState, SignIn, SignInAnswer } from './schema.ts'
import type { Sessions } from './sessions.ts'

type AnyCall = Pick<Call<Caller | undefined, undefined, undefined, undefined>, 'caller' | 'client' | 'answer'>

/** Dependencies of the sign-in routes and the pages. */
export interface AccountDependencies {
  readonly sessions: Sessions
  readonly securityLog: SecurityLog
  readonly hasApiTokens: boolean
  readonly captcha: Captcha
  readonly csrf: CsrfTokens
  /** True if users reach the service over https, so that its cookies are marked secure. */
  readonly isPublishedSecurely: boolean
  /** Resolves to true if a job exists; decides the status of its page. */
  readonly hasJob: (id: string) => Promise<boolean>
}

const cookieLife = 3600

/** Cookies of this service's pages. */
export function createPageCookies({
  csrf,
  isPublishedSecurely,
}: Pick<AccountDependencies, 'csrf' | 'isPublishedSecurely'>) {
  const options = (call: Pick<AnyCall, 'client'>) =>
    ({ path: '/', sameSite: 'lax', secure: call.client.secure || isPublishedSecurely }) as const
  return {
    /** Sets a new token; scripts of the page read it. */
    setCsrf(call: AnyCall, session = call.caller?.sessionKey): string {
      const token = csrf.create(session)
      call.answer.setCookie(csrfCookie, token, { ...options(call), maxAge: cookieLife })
      return token
    },
    setSession(call: AnyCall, key: string): void {
      call.answer.setCookie(sessionCookie, key, { ...options(call), httpOnly: true })
      this.setCsrf(call, key)
    },
    endSession(call: Pick<AnyCall, 'answer' | 'client'>): void {
      call.answer.clearCookie(sessionCookie, { ...options(call), httpOnly: true })
    },
  }
}
/** Sets and clears the cookies of pages. */
export type PageCookies = ReturnType<typeof createPageCookies>

/** Sign-in, sign-out, and the pages of the application with their token. */
export function accountRoutes(dependencies: AccountDependencies, cookies: PageCookies): Route[] {
  return [
    ...pageRoutes(dependencies, cookies),
    ...signInRoutes(dependencies, cookies),
    signOutRoute(dependencies, cookies),
    stateRoute(dependencies, cookies),
    ...sessionListRoutes(dependencies),
  ]
}

function pageRoutes({ hasJob }: AccountDependencies, cookies: PageCookies): Route[] {
  const shared = {
    method: 'GET',
    tag: 'Pages',
    access: 'page',
    success: { status: 200, media: 'text/html', description: 'The page' },
    also: [303],
  } as const
  const page = (path: string, summary: string) =>
    route({ ...shared, path, summary, limit: 'none' }, (call) => {
      cookies.setCsrf(call)
      return call.answer.page()
    })
  return [
    page('/', 'Dashboard'),
    page('/settings', 'Settings'),
    page('/statistics', 'Statistics'),
    route(
      {
        ...shared,
        path: '/job/{job_id}',
        summary: 'A job',
        limit: '120',
        params: JobPath,
        errors: [404],
        errorPages: [404],
      },
      async (call) => {
        cookies.setCsrf(call)
        const content = call.answer.page()
        return (await hasJob(call.params.job_id)) ? content : { ...content, status: 404 }
      },
    ),
  ]
}

function signInRoutes({ sessions, captcha, securityLog }: AccountDependencies, cookies: PageCookies): Route[] {
  const shared = { tag: 'Sign-in', access: 'public' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/login',
        summary: 'Sign-in page',
        description: 'Sets the CSRF cookie; the page holds the field `captcha_token`.',
        limit: '20',
        query: z.object({
          next: z
            .string()
            .optional()
            .catch(undefined)
            .meta({ description: 'Path on this server to go on to; another one counts as /' }),
        }),
        success: { status: 200, media: 'text/html', description: 'The page; 303 when nobody has to sign in' },
        also: [303],
      },
      (call) => {
        const token = cookies.setCsrf(call)
        if (call.caller !== undefined) return seeOther(call, safeNextUrl(call.query.next))
        const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`
        return call.answer.page(
          `<template id="sign-in-fields">${field('captcha_token', captcha.create())}${field('csrf_token', token)}</template>`,
        )
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/login',
        summary: 'Sign in',
        description: 'A form is answered with 303 to /, JSON with 200.',
        limit: '5',
        takes: 'form',
        body: SignIn,
        success: {
          status: 200,
          media: 'application/json',
          description: 'Signed in',
          schema: SignInAnswer,
        },
        also: [303],
        errors: [401],
      },
      async (call) => {
        if (sessions.isOn()) {
          const { client: from, body } = call
          const attempt = sessions.signIn(body, from)
          cookies.setSession(call, await securityLog.watch(attempt, { from, username: body.username }))
          const by = accountActor(body.username)
          await securityLog.record({ kind: 'sign_in', by, from, method: 'password' })
        }
        const isForm = call.header('content-type')?.startsWith('application/x-www-form-urlencoded') === true
        return isForm ? seeOther(call, '/') : { content: JSON.stringify({ ok: true, redirect: '/' }) }
      },
    ),
  ]
}

function signOutRoute({ sessions, securityLog }: AccountDependencies, cookies: PageCookies): Route {
  return route(
    {
      tag: 'Sign-in',
      access: 'public',
      method: 'POST',
      path: '/logout',
      summary: 'Sign out',
      limit: '20',
      success: { status: 200, media: 'text/html', description: 'Never' },
      also: [303],
    },
    async (call) => {
      const { caller, client } = call
      if (caller?.sessionKey !== undefined) {
        const ending = sessions.signOut(caller.sessionKey)
        await securityLog.recordAfter(ending, { kind: 'sign_out', ...eventOrigin(caller, client) })
      }
      cookies.endSession(call)
      return seeOther(call, '/login')
    },
  )
}

function stateRoute({ sessions, hasApiTokens }: AccountDependencies, cookies: PageCookies): Route {
  return route(
    {
      method: 'GET',
      path: '/api/session',
      tag: 'Sign-in',
      summary: 'State of the session: whether sign-in is required, and who is signed in',
      description: 'Renews the CSRF cookie.',
      access: 'public',
      limit: '60',
      success: { status: 200, body: SessionState },
    },
    (call) => {
      cookies.setCsrf(call)
      return {
        authentication: sessions.isOn(),
        username: sessions.isOn() ? (call.caller?.username ?? null) : null,
        has_credentials: sessions.hasCredentials(),
        is_open: !sessions.isOn(),
        version,
        ...(hasApiTokens && { api_tokens: true as const }),
      }
    },
  )
}

function sessionListRoutes({ sessions, securityLog }: AccountDependencies): Route[] {
  const shared = { tag: 'Sign-in', access: 'account', limit: '60' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/sessions',
        summary: 'List your sessions',
        description: 'Empty while sign-in is off.',
        success: { status: 200, body: OwnSessions },
      },
      async ({ caller }) => ({ sessions: await sessions.listOwn(caller) }),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/sessions/{id}',
        summary: 'End one of your sessions',
        params: OwnSessionPath,
        success: { status: 200, body: SessionEnded },
        errors: [404],
      },
      async ({ caller, params, client }) => {
        const ending = sessions.endOwn(caller, params.id)
        const origin = eventOrigin(caller, client)
        await securityLog.recordAfter(ending, (target) => ({ kind: 'session_ended', ...origin, target }))
        return { ok: true as const }
      },
    ),
  ]
}
