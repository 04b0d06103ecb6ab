import { isCsrfToken } from '@hearth/credentials'
import { addressGroup, allowanceHeaders, Fault, routeFor, type GuardedRequest, type Route } from '@hearth/http'
import type { ProvenSession, VisitorKeys } from './accounts/ways-in.ts'
import { cookieFor } from './accounts/session-cookie.ts'
import { forbidden } from './problems.ts'
import type { RouteLimits } from './route-limits.ts'

/** Who is calling, signed in or not. */
export interface Visitor {
  /** The key in the caller's cookie, of a session or of a visitor that is none yet; undefined without a valid one. */
  readonly key: string | undefined
  /** The session, when somebody is signed in. */
  readonly session: SessionCaller | undefined
}

/** Somebody who is signed in. */
export interface SessionCaller extends ProvenSession {
  readonly key: string
}

/** A caller whose role is administrator. */
export type Administrator = SessionCaller & { readonly role: 'admin' }

/** What a handler may rely on, by the access its route states. */
interface Callers {
  /** Anyone, also before the first administrator was set up. */
  always: Visitor
  /** Anyone, once the service is set up. */
  public: Visitor
  /** Signed in, even when the password must be changed first. */
  'any-session': SessionCaller
  /** Signed in. */
  session: SessionCaller
  /** Signed in, and proved who they are in the last five minutes. */
  'recent-session': SessionCaller
  admin: Administrator
  'recent-admin': Administrator
}
export type Access = keyof Callers

type Window = `${number}/${'min' | 'hour'}`

/**
 * How often one address may call the route: in one window or in two. `lasting` ones are kept in the database, so that a
 * restart frees nobody.
 */
export type Limit = 'none' | Window | `${Window} ${Window}` | `lasting ${Window} ${Window}`

/** The service's way to write an endpoint; see `routeFor`. */
export const route = routeFor<Callers, Limit>()

/** How long a proof of who is calling counts as recent, milliseconds. */
export const recentFor = 300_000

export interface GuardParts {
  readonly limits: RouteLimits
  /** The session behind a cookie; undefined when it is unknown or ran out. */
  readonly identify: (key: string) => Promise<ProvenSession | undefined>
  readonly visitors: VisitorKeys
  /** Whether there is an administrator yet. */
  readonly isSetUp: () => Promise<boolean>
  /** Where pages of ours may come from, beside the address the caller uses. */
  readonly origins: () => readonly string[]
  readonly publicUrl: string | undefined
  readonly now: () => number
  /** Hears of callers that were sent away because they called too often. */
  readonly onLimited: (guarded: GuardedRequest, spec: Route['spec']) => void
}

/** The gate every request passes before it is parsed: how often, who, whether, and whether it comes from our own pages. */
export interface Guard {
  (guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<Visitor | SessionCaller>
}

export function createGuard(parts: GuardParts): Guard {
  return async (guarded, spec) => {
    await count(parts, guarded, spec)
    const visitor = await findVisitor(parts, guarded)
    const access = (spec?.access ?? 'session') as Access
    if (access !== 'always' && !(await parts.isSetUp()))
      throw forbidden('This service is not set up yet; see POST /api/setup', 'setup_required')
    if (!isRead(guarded)) checkOrigin(parts, guarded)
    if (access === 'always' || access === 'public') {
      if (!isRead(guarded)) checkToken(guarded, visitor.key)
      return visitor
    }
    const { session } = visitor
    if (session === undefined) throw new Fault({ kind: 'unauthenticated' })
    if (!isRead(guarded)) checkToken(guarded, session.key)
    checkSession(session, access, parts.now())
    return session
  }
}

async function count(parts: GuardParts, guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<void> {
  const allowance = await parts.limits.take(spec, addressGroup(guarded.client.address))
  if (allowance === undefined) return
  guarded.reply.headers(allowanceHeaders(allowance, parts.now()))
  if (allowance.allowed) return
  if (spec !== undefined) parts.onLimited(guarded, spec)
  throw new Fault({ kind: 'rate-limited', ...allowance })
}

async function findVisitor(parts: GuardParts, { request, client }: GuardedRequest): Promise<Visitor> {
  const key = request.cookies[cookieFor(client, parts.publicUrl).name]
  if (key === undefined || key.length > 200) return { key: undefined, session: undefined }
  if (parts.visitors.isValid(key)) return { key, session: undefined }
  const session = await parts.identify(key)
  return session === undefined ? { key: undefined, session } : { key, session: { ...session, key } }
}

function isRead({ request }: GuardedRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
}

/** Browsers say where a request comes from; programs say nothing, and have no cookie that is not theirs. */
function checkOrigin({ origins }: GuardParts, { request, client }: GuardedRequest): void {
  const site = request.headers['sec-fetch-site']
  checkSite(Array.isArray(site) ? site[0] : site)
  const { origin } = request.headers
  if (origin !== undefined && origin !== client.origin && !origins().includes(origin)) throw otherSite()
}

/** Refuses what a browser says was asked for by a page of another site; nothing is said by programs. */
export function checkSite(site: string | undefined): void {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw otherSite()
}

const otherSite = () =>
  forbidden(
    'Requests from other sites are refused. Behind a proxy, PUBLIC_URL or TRUSTED_PROXIES must be set.',
    'cross_origin',
  )

function checkToken({ request }: GuardedRequest, key: string | undefined): void {
  const token = request.headers['x-csrf-token']
  if (key !== undefined && typeof token === 'string' && isCsrfToken(token, key)) return
  throw forbidden('The header X-CSRF-Token is missing or not that of this session; see GET /api/v1/csrf', 'csrf')
}

function checkSession(session: SessionCaller, access: Access, now: number): void {
  if (access === 'any-session') return
  if (session.passwordChangeRequired) throw forbidden('The password must be changed first', 'password_change_required')
  const isForAdministrators = access === 'admin' || access === 'recent-admin'
  if (isForAdministrators && session.role !== 'admin') throw forbidden('Administrator access is required.')
  const isForRecent = access === 'recent-session' || access === 'recent-admin'
  if (isForRecent && !isRecent(session, now)) throw reauthenticationRequired()
}

/** Whether the caller proved in the last five minutes who they are. */
export function isRecent({ provedAt }: Pick<ProvenSession, 'provedAt'>, now: number): boolean {
  return now - provedAt <= recentFor && provedAt <= now
}

/** The caller must prove once more who they are. */
export const reauthenticationRequired = () =>
  forbidden('Confirm who you are first, see POST /api/session/reauthenticate', 'reauthentication_required')
