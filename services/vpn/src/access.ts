import { readBearer } from '@hearth/accounts'
import {
  addressGroup,
  createAddressSet,
  createBudget,
  HttpError,
  routeFor,
  type GuardedRequest,
  type Route,
} from '@hearth/http'
import type { CheckScrape } from '@hearth/metrics'
import type { Clock } from '@hearth/runtime'
import { checkAllowance, hasCsrfToken, isCrossSite, isRead } from '@hearth/service'
import { badRequest, forbidden } from './problems.ts'
import type { TokenPermissions } from './tokens/schema.ts'
import type { Role } from './users/schema.ts'

/** The authenticated caller. */
export interface Caller {
  readonly userId: string
  readonly username: string
  readonly role: Role
  readonly via:
    | { readonly kind: 'session'; readonly key: string; readonly passwordChangeRequired: boolean }
    | {
        readonly kind: 'token'
        readonly id: string
        readonly permissions: TokenPermissions
        /** True if the token may be used from this address. */
        readonly mayComeFrom: (address: string) => boolean
      }
}

/** A caller whose role is administrator. */
export type Administrator = Caller & { readonly role: 'admin' }

/** A caller with a browser session. */
export type SessionCaller = Caller & { readonly via: { readonly kind: 'session' } }

/** Caller that a handler receives, by the access of its route. */
interface Callers {
  /** Anyone; undefined without valid credentials. */
  public: Caller | undefined
  /** A browser session. */
  session: SessionCaller
  /** A browser session, even one that must change its password first. */
  'any-session': SessionCaller
  /** A browser session of an administrator. */
  'admin-session': Administrator & SessionCaller
  /** Anyone with valid credentials; role `user` may only read, unless the handler checks more. */
  'signed-in': Caller
  admin: Administrator
  /** A scraper; see `createScrapeCheck`. */
  scrape: undefined
}
/** Who may call a route; see `Callers`. */
export type Access = keyof Callers
/** Budget that a route draws on; `ceremony` is one of its own, as a page that offers passkeys begins one before anybody signs in. */
export type Limit = 'counted' | 'ceremony' | 'none'

/** The service's way to write an endpoint; see `routeFor`. */
export const route = routeFor<Callers, Limit>()

/** Requests a minute, for each user and, without credentials, for each address. */
const perMinute = { read: { authenticated: 100, anonymous: 10 }, write: { authenticated: 30, anonymous: 5 } } as const

/** Sign-ins by passkey that one address may begin, a minute. */
const ceremoniesPerMinute = 30

/** Finds the caller behind a request's credentials; undefined for none and for wrong ones alike. */
export type Identify = (request: {
  bearer: string | undefined
  sessionKey: string | undefined
  address: string
}) => Promise<Caller | undefined>

/** The name of the session's cookie; other services on the same host name have theirs. */
export const sessionCookie = 'hearth_vpn_session'

/** Creates the guard that every request passes before it is parsed: authentication, rate limit, authorization. */
export function createGuard(dependencies: {
  identify: Identify
  exempt: readonly string[]
  clock: Clock
  checkScrape: CheckScrape
}) {
  const { identify, clock, checkScrape } = dependencies
  const budgetOf = (limit: number) => createBudget({ limit, windowSeconds: 60, clock })
  const budgets = {
    read: { authenticated: budgetOf(perMinute.read.authenticated), anonymous: budgetOf(perMinute.read.anonymous) },
    write: { authenticated: budgetOf(perMinute.write.authenticated), anonymous: budgetOf(perMinute.write.anonymous) },
  }
  const ceremonies = budgetOf(ceremoniesPerMinute)
  const exempt = createAddressSet(dependencies.exempt)

  function count({ request, client }: GuardedRequest, spec: Route['spec'] | undefined, caller: Caller | undefined) {
    const address = addressGroup(client.address)
    if (spec?.limit === ('ceremony' satisfies Limit)) return ceremonies.take(address)
    const budget = budgets[isRead({ request }) ? 'read' : 'write']
    return caller === undefined ? budget.anonymous.take(address) : budget.authenticated.take(caller.userId)
  }

  async function check(guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<Caller | undefined> {
    if (guarded.request.headers.upgrade !== undefined) throw badRequest('This service upgrades to no other protocol')
    if (spec?.access === 'scrape') return checkScrape(guarded)
    const credentials = credentialsOf(guarded)
    const caller = await identify({ ...credentials, address: guarded.client.address })
    if (spec?.limit !== 'none' && !exempt.has(guarded.client.address))
      checkAllowance(guarded, count(guarded, spec, caller), clock.now())
    checkAccess(guarded, caller, spec)
    return caller
  }

  /** A successful sign-in does not count as an anonymous attempt: the request that it was is refunded. */
  function refundSignIn(address: string, request: 'read' | 'write'): void {
    if (!exempt.has(address)) budgets[request].anonymous.refund(addressGroup(address))
  }

  return { check, refundSignIn }
}

/**
 * The header wins over the query parameter, and any token over the cookie; a header of another scheme belongs to a proxy. The
 * parameter is removed before validation.
 */
function credentialsOf({ request }: GuardedRequest): { bearer: string | undefined; sessionKey: string | undefined } {
  const query = request.query as Record<string, unknown>
  const fromQuery = typeof query['token'] === 'string' ? query['token'] : undefined
  delete query['token']
  const bearer = readBearer({ request }) ?? fromQuery
  return { bearer, sessionKey: bearer === undefined ? request.cookies[sessionCookie] : undefined }
}

function checkAccess(guarded: GuardedRequest, caller: Caller | undefined, spec: Route['spec'] | undefined): void {
  if (isCrossSite(guarded) && !isRead(guarded)) throw forbidden('Requests from other sites are refused')
  const access = spec?.access ?? 'signed-in'
  if (access === 'public') return
  if (caller === undefined) throw new HttpError({ kind: 'unauthenticated' })
  if (caller.via.kind === 'token') checkToken(guarded, caller.via, access)
  else checkSession(guarded, caller.via, access)
  if ((access === 'admin' || access === 'admin-session') && caller.role !== 'admin')
    throw forbidden('Insufficient permissions: administrators only')
}

/** Returns true for an access that no token has. */
export const isForSessions = (access: string): boolean =>
  access === 'session' || access === 'any-session' || access === 'admin-session'

type TokenWay = Extract<Caller['via'], { kind: 'token' }>
type SessionWay = Extract<Caller['via'], { kind: 'session' }>

function checkToken(guarded: GuardedRequest, token: TokenWay, access: string): void {
  if (!token.mayComeFrom(guarded.client.address)) {
    throw forbidden('Insufficient permissions: the token may not be used from this address')
  }
  if (token.permissions === 'read-only' && !isRead(guarded)) {
    throw forbidden('Insufficient permissions: the token is read-only')
  }
  if (isForSessions(access)) throw forbidden('Insufficient permissions: this needs a signed-in session, not a token')
}

function checkSession(guarded: GuardedRequest, session: SessionWay, access: string): void {
  if (!isRead(guarded) && !hasCsrfToken(guarded, session.key))
    throw forbidden('The header X-CSRF-Token is missing or not valid', { reason: 'csrf' })
  if (session.passwordChangeRequired && access !== 'any-session') throw passwordChangeRequired()
}

/** Until the generated password is changed, its session may only change it. */
export function passwordChangeRequired() {
  return forbidden('The password must be changed first', { reason: 'password_change_required' })
}
