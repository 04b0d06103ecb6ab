import { checkTokenPermissions, readBearer } from '@hearth/accounts'
import { addressGroup, HttpError, routeFor, type GuardedRequest, type Route } from '@hearth/http'
import type { CheckScrape } from '@hearth/metrics'
import { checkAllowance, hasCsrfToken, isRead } from '@hearth/service'
import { cookieFor } from './accounts/session-cookie.ts'
import type { Role } from './accounts/schema.ts'
import type { ProvenSession } from './accounts/sessions.ts'
import type { VisitorKeys } from './accounts/visitor-keys.ts'
import { forbidden } from './problems.ts'
import type { RouteLimits } from './route-limits.ts'
import { TokenPermissions } from './tokens/schema.ts'

/** A caller, signed in or not. */
export interface Visitor {
  /** The key in the caller's cookie, of a session or of a visitor without one; undefined without a valid key. */
  readonly key: string | undefined
  /** The session, when somebody is signed in. */
  readonly session: SessionCaller | undefined
}

/** Somebody who is signed in. */
export interface SessionCaller extends ProvenSession {
  readonly key: string
}

/** A program with the API token of a user. */
export interface TokenCaller {
  readonly userId: string
  readonly username: string
  /** Present role of the user. */
  readonly role: Role
  readonly permissions: TokenPermissions
  /** Id of the token. */
  readonly tokenId: string
  /** Names the token's open connections. */
  readonly key: string
  /** A program never proves who it is. */
  readonly provedAt: number
}

/** Somebody who is signed in, or a program with their token. */
export type Caller = SessionCaller | TokenCaller

/** A caller whose role is administrator. */
export type Administrator = Caller & { readonly role: 'admin' }

/** The caller that a handler gets, by the access of its route. */
interface Callers {
  /** Anyone, also before the first administrator was set up. */
  always: Visitor
  /** Anyone, once the service is set up. */
  public: Visitor
  /** Signed in, even when the password must be changed first. */
  'any-session': SessionCaller
  /** Signed in. */
  session: SessionCaller
  /** Signed in and re-authenticated in the last five minutes. */
  'recent-session': SessionCaller
  /** Signed in, or with any token. */
  'signed-in': Caller
  /** An administrator; a token may read, and writes with the permissions `full`. */
  admin: Administrator
  /** As `admin`, for sites: a token writes with the permissions `edit`. */
  editor: Administrator
  /** A signed-in administrator. */
  'admin-session': SessionCaller & Administrator
  'recent-admin': SessionCaller & Administrator
  /** A scraper; see `createScrapeCheck`. */
  scrape: undefined
}
/** Who may call a route; see `Callers`. */
export type Access = keyof Callers

const forAdministrators: ReadonlySet<Access> = new Set(['admin', 'editor', 'admin-session', 'recent-admin'])

type Window = `${number}/${'min' | 'hour'}`

/**
 * Calls of the route by one address: in one window or in two. `lasting` counts are kept in the database, so that a restart does
 * not reset them.
 */
export type Limit = 'none' | Window | `${Window} ${Window}` | `lasting ${Window} ${Window}`

/** The service's way to write an endpoint; see `routeFor`. */
export const route = routeFor<Callers, Limit>()

/** Time for which a proof of identity counts as recent, milliseconds. */
export const recentFor = 300_000

export interface GuardDependencies {
  readonly limits: RouteLimits
  /** The session behind a cookie; undefined when it is unknown or ran out. */
  readonly identify: (key: string) => Promise<ProvenSession | undefined>
  /** Identifies programs by their tokens; undefined while there are none. */
  readonly tokens: { readonly identify: (guarded: GuardedRequest, value: string) => Promise<TokenCaller> } | undefined
  readonly visitors: VisitorKeys
  /** Returns true when there is an administrator. */
  readonly isSetUp: () => Promise<boolean>
  /** Returns origins of the service's pages, beside the address the caller uses. */
  readonly origins: () => readonly string[]
  readonly publicUrl: string | undefined
  readonly now: () => number
  /** Called for callers that exceeded a limit. */
  readonly onLimited: (guarded: GuardedRequest, spec: Route['spec']) => void
  readonly checkScrape: CheckScrape
}

/** Creates the guard of every request before it is parsed: its limit, session, access, and origin. */
export function createGuard(dependencies: GuardDependencies) {
  return async (guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<Visitor | Caller | undefined> => {
    if (spec?.access === 'scrape') return dependencies.checkScrape(guarded)
    await count(dependencies, guarded, spec)
    const access = (spec?.access ?? 'signed-in') as Exclude<Access, 'scrape'>
    if (access !== 'always' && !(await dependencies.isSetUp()))
      throw forbidden('This service is not set up yet; see POST /api/setup', 'setup_required')
    if (!isRead(guarded)) checkOrigin(dependencies, guarded)
    const isOpen = access === 'always' || access === 'public'
    const { tokens } = dependencies
    const bearer = tokens === undefined || isOpen ? undefined : readBearer(guarded)
    // A token goes before a cookie, and needs no CSRF token: no browser sends it by itself.
    if (tokens !== undefined && bearer !== undefined)
      return checkPermissions(await tokens.identify(guarded, bearer), access, isRead(guarded))
    const visitor = await findVisitor(dependencies, guarded)
    if (isOpen) {
      if (!isRead(guarded)) checkCsrf(guarded, visitor.key)
      return visitor
    }
    const { session } = visitor
    if (session === undefined) throw new HttpError({ kind: 'unauthenticated' })
    if (!isRead(guarded)) checkCsrf(guarded, session.key)
    checkSession(session, access, dependencies.now())
    return session
  }
}

async function count(
  dependencies: GuardDependencies,
  guarded: GuardedRequest,
  spec: Route['spec'] | undefined,
): Promise<void> {
  const allowance = await dependencies.limits.take(spec, addressGroup(guarded.client.address))
  if (allowance === undefined) return
  if (!allowance.allowed && spec !== undefined) dependencies.onLimited(guarded, spec)
  checkAllowance(guarded, allowance, dependencies.now())
}

async function findVisitor(dependencies: GuardDependencies, { request, client }: GuardedRequest): Promise<Visitor> {
  const key = request.cookies[cookieFor(client, dependencies.publicUrl).name]
  if (key === undefined || key.length > 200) return { key: undefined, session: undefined }
  if (dependencies.visitors.isValid(key)) return { key, session: undefined }
  const session = await dependencies.identify(key)
  return session === undefined ? { key: undefined, session } : { key, session: { ...session, key } }
}

/** Browsers send the origin of a request; other clients send none, and their cookies cannot be abused across sites. */
function checkOrigin({ origins }: GuardDependencies, { request, client }: GuardedRequest): void {
  const site = request.headers['sec-fetch-site']
  checkSite(Array.isArray(site) ? site[0] : site)
  const { origin } = request.headers
  if (origin !== undefined && origin !== client.origin && !origins().includes(origin)) throw otherSite()
}

/** Refuses requests whose headers name another site as their origin. Other clients send no such headers. */
export function checkSite(site: string | undefined): void {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw otherSite()
}

const otherSite = () =>
  forbidden(
    'Requests from other sites are refused. Behind a proxy, PUBLIC_URL or TRUSTED_PROXIES must be set.',
    'cross_origin',
  )

function checkCsrf(guarded: GuardedRequest, key: string | undefined): void {
  if (key !== undefined && hasCsrfToken(guarded, key)) return
  throw forbidden('The header X-CSRF-Token is missing or not that of this session; see GET /api/v1/csrf', 'csrf')
}

/** Returns true for an access that tokens may have; the others need a session, or nothing. */
export function takesToken(access: string): boolean {
  return access === 'signed-in' || access === 'admin' || access === 'editor'
}

/** Least permissions of a token for routes of an access; undefined where only a session will do. */
function permissionsFor(access: Access, isReading: boolean): TokenPermissions | undefined {
  if (!takesToken(access)) return undefined
  if (isReading) return 'read'
  return access === 'editor' ? 'edit' : 'full'
}

function checkPermissions(caller: TokenCaller, access: Access, isReading: boolean): TokenCaller {
  checkTokenPermissions(TokenPermissions.options, caller.permissions, permissionsFor(access, isReading))
  if (access !== 'signed-in') checkAdministrator(caller)
  return caller
}

function checkAdministrator({ role }: Caller): void {
  if (role !== 'admin') throw forbidden('Administrator access is required.')
}

function checkSession(session: SessionCaller, access: Access, now: number): void {
  if (access === 'any-session') return
  if (session.passwordChangeRequired) throw forbidden('The password must be changed first', 'password_change_required')
  if (forAdministrators.has(access)) checkAdministrator(session)
  const isForRecent = access === 'recent-session' || access === 'recent-admin'
  if (isForRecent && !isRecent(session, now)) throw reauthenticationRequired()
}

/** Returns true when the caller re-authenticated in the last five minutes. */
export function isRecent({ provedAt }: Pick<ProvenSession, 'provedAt'>, now: number): boolean {
  return now - provedAt <= recentFor && provedAt <= now
}

/** The caller must re-authenticate. */
export const reauthenticationRequired = () =>
  forbidden('Confirm who you are first, see POST /api/session/reauthenticate', 'reauthentication_required')
