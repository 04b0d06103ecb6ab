import { noEnvelope, routeFor, seeOther, type Call, type Content, type Envelope, type Route } from '@hearth/http'
import { z } from 'zod'
import type { SecurityLog } from '../security-log/security-log.ts'
import { maxFlowAge } from './flow.ts'
import type { OpenIdIdentity } from './identity.ts'
import type { OpenId } from './openid.ts'
import { OpenIdError } from './openid-error.ts'
import type { OpenIdSource } from './openid-source.ts'

type AnyCall = Call<unknown, undefined, undefined, undefined>

/** The place of sign-in through a provider in a service's API. */
export interface OpenIdMount<Caller> {
  /** Such as `/api/openid`. */
  readonly path: string
  readonly tag: string
  readonly access: string
  readonly limits: { readonly provider: string; readonly signIn: string }
  /** Path of the page that shows why a sign-in failed. */
  readonly signInPage: string
  readonly cookie: { readonly name: string; readonly isSecure: (client: AnyCall['client']) => boolean }
  /**
   * Opens the session of a person, sets its cookie and records the sign-in. Returns the session's key when it may end with that of
   * the provider. Throws an `OpenIdError` to refuse.
   */
  readonly onSignedIn: (
    identity: OpenIdIdentity,
    call: Pick<AnyCall, 'client' | 'answer'> & { readonly caller: Caller },
  ) => Promise<string | undefined>
  readonly securityLog: SecurityLog
  /** The service's error for a provider that is not configured. */
  readonly notConfigured: () => Error
  /** None by default. */
  readonly envelope?: Envelope
}

/** The provider through which people may sign in. */
export const OpenIdProvider = z
  .object({ name: z.string().nullable().meta({ description: 'Text of the button; null without a provider' }) })
  .meta({ id: 'OpenIdProvider' })
export type OpenIdProvider = z.infer<typeof OpenIdProvider>

const StartQuery = z.object({
  next: z.string().max(2000).optional().meta({ description: 'Path of this service where the browser goes then' }),
  again: z
    .literal('1')
    .optional()
    .meta({ description: 'The provider asks for the password even when it knows the person' }),
  moved: z.literal('1').optional().meta({ description: 'The browser came from another address of this service' }),
})

const answerText = z.string().max(4096).optional()
/** Providers add members of their own. */
const CallbackQuery = z.looseObject({ code: answerText, state: answerText, iss: answerText, error: answerText })

/** Returns the routes of sign-in through a provider, for the service to mount; without a provider they answer that there is none. */
export function openIdRoutes<Caller>(source: OpenIdSource, mount: OpenIdMount<Caller>): Route[] {
  const { path, tag, access, limits, envelope: { schema, wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { method: 'GET', tag, access } as const
  const redirect = {
    ...shared,
    limit: limits.signIn,
    success: { status: 200, media: 'text/html', description: 'Never' },
    also: [303],
    errors: [404],
  } as const
  return [
    route(
      {
        ...shared,
        path: `${path}/provider`,
        summary: 'The OpenID Connect provider through which people may sign in',
        limit: limits.provider,
        success: { status: 200, body: schema(OpenIdProvider) },
      },
      async () => wrap({ name: (await source.find())?.name ?? null } satisfies OpenIdProvider),
    ),
    route(
      {
        ...redirect,
        path,
        summary: 'Sign in through the OpenID Connect provider',
        description: 'For browsers: 303 to the provider, and from there to the callback.',
        query: StartQuery,
      },
      async (call) => start(source, mount, call),
    ),
    route(
      {
        ...redirect,
        path: `${path}/callback`,
        summary: 'The provider sends browsers back here',
        description: 'Sets the session cookie; 303 to the path asked for, or to the sign-in page with `sign_in_error`.',
        query: CallbackQuery,
      },
      async (call) => finish(source, mount, call),
    ),
  ]
}

function required<Caller>(openId: OpenId | undefined, { notConfigured }: OpenIdMount<Caller>): OpenId {
  if (openId === undefined) throw notConfigured()
  return openId
}

type StartCall = Pick<AnyCall, 'client' | 'answer'> & { readonly query: z.infer<typeof StartQuery> }

async function start<Caller>(source: OpenIdSource, mount: OpenIdMount<Caller>, call: StartCall): Promise<Content> {
  const { next, again, moved } = call.query
  const openId = required(await source.find(), mount)
  // The cookie has to be set at the address to which the provider sends the browser back.
  const publicHost = new URL(openId.publicUrl).hostname
  const isElsewhere = call.client.host.toLowerCase() !== publicHost && moved === undefined
  if (isElsewhere) {
    const query = new URLSearchParams({ ...(next !== undefined && { next }), ...(again && { again }), moved: '1' })
    return seeOther(call, `${openId.publicUrl}${mount.path}?${query.toString()}`)
  }
  try {
    const current = required(await source.findForSignIn(), mount)
    const { url, cookie } = await current.start(next, { mustAskAgain: again !== undefined })
    const { name, ...options } = cookieOf(mount, call)
    call.answer.setCookie(name, cookie, { ...options, maxAge: maxFlowAge / 1000 })
    return seeOther(call, url)
  } catch (error) {
    return refused(mount, call, error)
  }
}

type FinishCall<Caller> = Pick<AnyCall, 'client' | 'answer' | 'cookie'> & {
  readonly caller: Caller
  readonly query: z.infer<typeof CallbackQuery>
}

async function finish<Caller>(
  source: OpenIdSource,
  mount: OpenIdMount<Caller>,
  call: FinishCall<Caller>,
): Promise<Content> {
  const openId = required(await source.find(), mount)
  const { name, ...options } = cookieOf(mount, call)
  call.answer.clearCookie(name, options)
  const members = Object.entries(call.query).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as [string, string]] : [],
  )
  try {
    const query = new URLSearchParams(members).toString()
    const { identity, next } = await openId.finish(query, call.cookie(name))
    const key = await mount.onSignedIn(identity, call)
    if (key !== undefined && identity.sid !== undefined) await source.onSession?.(key, identity.sid)
    return seeOther(call, next)
  } catch (error) {
    return refused(mount, call, error)
  }
}

/** Goes to the sign-in page with the reason, which the page turns into words: nothing of the provider is shown. */
async function refused<Caller>(
  { signInPage, securityLog }: OpenIdMount<Caller>,
  call: Pick<AnyCall, 'client' | 'answer'>,
  error: unknown,
): Promise<Content> {
  if (!(error instanceof OpenIdError)) throw error
  const { reason, person } = error
  const isAttempt = !['openid_cancelled', 'openid_unavailable', 'openid_disconnected'].includes(reason)
  const named = person === undefined ? {} : { username: person, isProved: true }
  if (isAttempt) await securityLog.failed({ from: call.client, reason, status: 303, ...named })
  return seeOther(call, `${signInPage}?sign_in_error=${reason}`)
}

/** With the prefix no other host of the domain can set it, and so start a sign-in of its own in somebody else's browser. */
function cookieOf<Caller>({ cookie, path }: OpenIdMount<Caller>, { client }: Pick<AnyCall, 'client'>) {
  const base = { httpOnly: true, sameSite: 'lax' } as const
  return cookie.isSecure(client)
    ? ({ ...base, name: `__Host-${cookie.name}`, path: '/', secure: true } as const)
    : ({ ...base, name: cookie.name, path, secure: false } as const)
}
