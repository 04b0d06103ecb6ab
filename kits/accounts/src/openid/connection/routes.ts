import { HttpError, noEnvelope, routeFor, seeOther, type Call, type Envelope, type Route } from '@hearth/http'
import { z } from 'zod'
import type { Actor } from '../../security-log/security-event.ts'
import type { PasswordProof } from '../../sign-in-methods/sign-in-methods.ts'
import { ConnectionError, maxConnectionAge, type OpenIdConnection } from './connection.ts'
import {
  LogoutDone,
  LogoutToken,
  OpenIdConnectionAddress,
  OpenIdConnectionStart,
  OpenIdConnectionView,
  OpenIdDisconnection,
} from './schema.ts'

type AnyCall = Call<unknown, undefined, undefined, undefined>

/** The place of the connection to a portal in a service's API. */
export interface OpenIdConnectionMount<Caller> {
  /** Path of the routes of sign-in through a provider, such as `/api/openid`. */
  readonly path: string
  readonly tag: string
  /** Access of visitors, of administrators, and of the portal itself, which has no cookies. */
  readonly access: { readonly visitor: string; readonly administrator: string; readonly program: string }
  readonly limits: { readonly read: string; readonly change: string; readonly visitor: string }
  /** Path of the page with the section **Sign in with Hearth**; its query goes on with `openid_connection`. */
  readonly settingsPage: string
  readonly cookie: { readonly name: string; readonly isSecure: (client: AnyCall['client']) => boolean }
  /** The administrator behind a session. Throws for a program with a token. */
  readonly callerOf: (caller: Caller) => Actor
  /** Checks the administrator's password. Throws when it is wrong. */
  readonly prove: (caller: Caller, proof: PasswordProof) => Promise<void>
  /** Ends the sessions with these hashes of their keys; the portal's session in which they began is over. */
  readonly endSessions: (hashes: readonly string[]) => Promise<void>
  /** Makes the error, status 409, for a connection that cannot be made or ended. */
  readonly refuse: (detail: string) => Error
  /** None by default. */
  readonly envelope?: Envelope
}

const answerText = z.string().max(4096).optional()
/** A portal may add members. */
const CallbackQuery = z.looseObject({ code: answerText, state: answerText, iss: answerText, error: answerText })

/** Returns the routes of the connection to a Hearth portal, for the service to mount. */
export function openIdConnectionRoutes<Caller>(
  connection: OpenIdConnection,
  mount: OpenIdConnectionMount<Caller>,
): Route[] {
  return [
    ...changeRoutes(connection, mount),
    startRoute(connection, mount),
    callbackRoute(connection, mount),
    logoutRoute(connection, mount),
  ]
}

function changeRoutes<Caller>(connection: OpenIdConnection, mount: OpenIdConnectionMount<Caller>): Route[] {
  const { tag, limits, callerOf, envelope: { schema, wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { path: `${mount.path}/connection`, tag, access: mount.access.administrator } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the connection to a Hearth portal',
        limit: limits.read,
        success: { status: 200, body: schema(OpenIdConnectionView) },
      },
      async () => wrap(await connection.describe()),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Finish the connection to a Hearth portal',
        description: 'After the portal’s answer, in the browser and as the administrator who began.',
        limit: limits.change,
        success: { status: 201, body: schema(OpenIdConnectionView) },
        errors: [409],
      },
      async ({ caller, client, cookie, answer }) => {
        const { name, ...options } = cookieOf(mount, client)
        answer.clearCookie(name, options)
        return wrap(await refusing(mount, connection.finish(cookie(name), callerOf(caller), client)))
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Disconnect from the Hearth portal',
        limit: limits.change,
        success: { status: 200, body: schema(OpenIdDisconnection) },
        errors: [409],
      },
      async ({ caller, client }) => wrap(await refusing(mount, connection.disconnect(callerOf(caller), client))),
    ),
  ]
}

function startRoute<Caller>(connection: OpenIdConnection, mount: OpenIdConnectionMount<Caller>): Route {
  const { path, tag, access, limits, callerOf, prove, envelope: { schema, wrap } = noEnvelope } = mount
  return routeFor<Record<string, Caller>, string>()(
    {
      method: 'POST',
      path: `${path}/connection/start`,
      tag,
      access: access.administrator,
      summary: 'Begin a connection to a Hearth portal',
      description:
        'The address is for this browser: it holds a cookie until the portal sends it back, ten minutes at most.',
      limit: limits.change,
      body: OpenIdConnectionStart,
      success: { status: 200, body: schema(OpenIdConnectionAddress) },
      errors: [409],
    },
    async ({ caller, body, client, answer }) => {
      const by = callerOf(caller)
      await prove(caller, { password: body.current_password, from: client })
      const { url, cookie } = await refusing(mount, connection.start(body.issuer, by))
      const { name, ...options } = cookieOf(mount, client)
      answer.setCookie(name, cookie, { ...options, maxAge: maxConnectionAge / 1000 })
      return wrap({ url })
    },
  )
}

function callbackRoute<Caller>(connection: OpenIdConnection, mount: OpenIdConnectionMount<Caller>): Route {
  return routeFor<Record<string, unknown>, string>()(
    {
      method: 'GET',
      path: `${mount.path}/connection/callback`,
      tag: mount.tag,
      access: mount.access.visitor,
      summary: 'The portal sends the administrator’s browser back here',
      description: '303 to the page of the settings with `openid_connection`. Nothing is changed yet.',
      limit: mount.limits.visitor,
      query: CallbackQuery,
      success: { status: 200, media: 'text/html', description: 'Never' },
      also: [303],
    },
    (call) => {
      const { name, ...options } = cookieOf(mount, call.client)
      // An answer that is none of ours leaves a connection under way as it is.
      const { to, cookie } = connection.receive(call.query, call.cookie(name))
      if (to === 'declined') call.answer.clearCookie(name, options)
      if (cookie !== undefined) call.answer.setCookie(name, cookie, { ...options, maxAge: maxConnectionAge / 1000 })
      const separator = mount.settingsPage.includes('?') ? '&' : '?'
      return seeOther(call, `${mount.settingsPage}${separator}openid_connection=${to}`)
    },
  )
}

function logoutRoute<Caller>(connection: OpenIdConnection, mount: OpenIdConnectionMount<Caller>): Route {
  const { path, tag, access, limits, endSessions, envelope: { schema, wrap } = noEnvelope } = mount
  return routeFor<Record<string, unknown>, string>()(
    {
      method: 'POST',
      path: `${path}/backchannel-logout`,
      tag,
      access: access.program,
      summary: 'The portal tells that a session ended',
      description: 'OpenID Connect Back-Channel Logout. Ends the sessions that began with that of the portal.',
      limit: limits.visitor,
      takes: 'form',
      body: LogoutToken,
      success: { status: 200, body: schema(LogoutDone) },
      errors: [400],
    },
    async ({ body, answer, client }) => {
      answer.header('cache-control', 'no-store')
      const ended = await connection.source.endSessions(body.logout_token, endSessions)
      if (ended === undefined) throw new HttpError({ kind: 'malformed', detail: 'The logout token is not accepted' })
      if (ended > 0) await connection.recordEnd(client)
      return wrap({ ended })
    },
  )
}

async function refusing<Caller, T>({ refuse }: OpenIdConnectionMount<Caller>, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ConnectionError ? refuse(error.message) : error
  }
}

function cookieOf<Caller>({ cookie, path }: OpenIdConnectionMount<Caller>, client: AnyCall['client']) {
  const secure = cookie.isSecure(client)
  return { name: cookie.name, httpOnly: true, sameSite: 'lax', path: `${path}/connection`, secure } as const
}
