import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createThrottle, lockOut, type MemoryThrottle } from '@hearth/accounts'
import {
  addressGroup,
  allowanceHeaders,
  createAddressSet,
  createBudget,
  routeFor,
  type AddressSet,
  type Budget,
  type GuardedRequest,
  type Route,
} from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import { checkAllowance, hasCsrfToken, isCrossSite } from '@hearth/service'
import type { Config } from './config.ts'
import { Problem } from './problems.ts'

/** An authenticated caller. */
export interface Caller {
  /** Name of the token, the user, or `command line`. */
  readonly name: string
  readonly via:
    | { readonly kind: 'token'; readonly id: string; readonly role: 'read' | 'read_write' }
    | { readonly kind: 'session'; readonly key: string; readonly passwordChangeRequired: boolean }
    | { readonly kind: 'operator' }
}

/** Caller that a handler gets, by the access of its route. */
interface Callers {
  /** Anyone. */
  public: undefined
  /** Anyone while the description is public, nobody otherwise. */
  docs: undefined
  /** Any valid token, or the administrator. */
  read: Caller
  /** A read/write token, or the administrator. */
  'read-write': Caller
  /** As `read-write`, while write access is on. */
  'write-access': Caller
  /** As `read-write`, while the vendor diagnostics are on. */
  vendor: Caller
  /** As `read`, unless the scraper page says that no token is needed. */
  scrape: Caller | undefined
  /** The administrator's browser, or the command line. */
  admin: Caller
  /** A browser session, even one that must change its password first. */
  'any-session': Caller & { readonly via: { readonly kind: 'session' } }
}
/** Access that a route states; see `Callers`. */
export type Access = keyof Callers
/** Budget that a route draws on. */
export type Limit = 'counted' | 'scrape' | 'none'

/** The service's way to write an endpoint; see `routeFor`. */
export const route = routeFor<Callers, Limit>()

/** The name of the session's cookie; other services on the same host name have theirs. */
export const sessionCookie = 'hearth_inverter_session'

/** More than five failures in five minutes, with tokens or at sign-in, lock an address out for fifteen. */
export const maxFailures = lockOut(5, 300, 900)

interface GateDependencies {
  readonly clock: Clock
  readonly config: Pick<Config, 'requestsPerMinute' | 'rateLimitExempt' | 'isDocsPublic' | 'isVendorDiagnosticsOn'>
  readonly isWriteAccessOn: () => boolean
  readonly isStopping: () => boolean
  /** Access of the scraper; see the settings. */
  readonly scraping: () => { tokenRequired: boolean; perMinute: number; sources: AddressSet }
  readonly identifyToken: (token: string) => Promise<Caller | undefined>
  readonly identifySession: (key: string) => Promise<Caller | undefined>
  /** True for a connection over the private socket of the data directory. */
  readonly isOperator: (socket: Socket) => boolean
  /** The id of a token that was identified within the last minute and still counts. */
  readonly recentToken: (token: string) => string | undefined
}

/**
 * The gate that every request passes before it is parsed. It checks in this order: the route is switched on, who calls,
 * how often, and whether the caller may (docs/reference/inverter-api.md, "Access").
 */
export class Gate {
  readonly #dependencies: GateDependencies
  readonly #wrongTokens: MemoryThrottle
  readonly #requests: Budget
  readonly #exempt: AddressSet
  #scrapes: { perMinute: number; budget: Budget } | undefined

  constructor(dependencies: GateDependencies) {
    this.#dependencies = dependencies
    this.#wrongTokens = createThrottle(maxFailures, dependencies.clock)
    const { config, clock } = dependencies
    this.#requests = createBudget({ limit: config.requestsPerMinute, windowSeconds: 60, clock })
    this.#exempt = createAddressSet(config.rateLimitExempt)
  }

  async check(guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<Caller | undefined> {
    const access = (spec?.access ?? 'read') as Access
    const limit = spec?.limit ?? 'counted'
    refuseDisabled(this.#dependencies, access)
    if (access === 'public' || access === 'docs') {
      this.#count(guarded, undefined, limit)
      return undefined
    }
    const caller = await this.#identify(guarded)
    if (caller === undefined && !(access === 'scrape' && mayScrapeWithoutToken(this.#dependencies, guarded)))
      throw unauthenticated(access)
    this.#count(guarded, caller, limit)
    if (caller !== undefined) checkCaller(guarded, caller, access)
    if (this.#dependencies.isStopping() && !isRead(guarded))
      throw new Problem('shutting_down', 'The service is stopping')
    return caller
  }

  /**
   * The headers of an allowed reading by a token that was checked lately, or undefined when the route has to answer; nothing
   * is counted then. Never waits.
   */
  allowCached(request: IncomingMessage, address: string): readonly string[] | undefined {
    const { authorization = '' } = request.headers
    if (!authorization.startsWith('Bearer ') || this.#dependencies.isOperator(request.socket)) return undefined
    const id = this.#dependencies.recentToken(authorization.slice(7))
    if (id === undefined) return undefined
    if (this.#exempt.has(address)) return []
    const key = `${id} ${addressGroup(address)}`
    const allowance = this.#requests.take(key)
    if (!allowance.allowed) return undefined
    const headers = allowanceHeaders(allowance, this.#dependencies.clock.now())
    const list: string[] = []
    for (const name in headers) list.push(name, headers[name] ?? '')
    return list
  }

  async #identify({ request, client }: GuardedRequest): Promise<Caller | undefined> {
    if (this.#dependencies.isOperator(request.raw.socket)) return { name: 'command line', via: { kind: 'operator' } }
    const header = request.headers.authorization
    if (header === undefined) {
      const key = request.cookies[sessionCookie]
      return key === undefined ? undefined : this.#dependencies.identifySession(key)
    }
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
    const caller = token === undefined ? undefined : await this.#dependencies.identifyToken(token)
    if (caller === undefined) this.#refuseToken(client.address)
    return caller
  }

  /** A valid token is let in even then: several callers may share an address behind a proxy. */
  #refuseToken(address: string): never {
    const closed = this.#wrongTokens.fail(addressGroup(address))
    if (closed > 0 && !this.#exempt.has(address))
      throw new Problem('rate_limited', `Too many wrong tokens from this address; try again in ${closed} s`, {
        retryAfterSeconds: closed,
      })
    throw new Problem('invalid_token', 'The access token is unknown, revoked or expired')
  }

  #count(guarded: GuardedRequest, caller: Caller | undefined, limit: string): void {
    const { client } = guarded
    if (limit === 'none' || caller?.via.kind === 'operator' || this.#exempt.has(client.address)) return
    const key = `${caller?.via.kind === 'token' ? caller.via.id : (caller?.name ?? '')} ${addressGroup(client.address)}`
    const allowance = (limit === 'scrape' ? this.#scrapeBudget() : this.#requests).take(key)
    checkAllowance(guarded, allowance, this.#dependencies.clock.now())
  }

  #scrapeBudget(): Budget {
    const { perMinute } = this.#dependencies.scraping()
    if (this.#scrapes?.perMinute !== perMinute) {
      const budget = createBudget({ limit: perMinute, windowSeconds: 60, clock: this.#dependencies.clock })
      this.#scrapes = { perMinute, budget }
    }
    return this.#scrapes.budget
  }
}

/** Refuses disabled routes before the caller is known: they do not exist for anyone. */
function refuseDisabled({ config, isWriteAccessOn }: GateDependencies, access: Access): void {
  if (access === 'write-access' && !isWriteAccessOn())
    throw new Problem('write_disabled', 'Write access is off; an administrator switches it on')
  if ((access === 'docs' && !config.isDocsPublic) || (access === 'vendor' && !config.isVendorDiagnosticsOn))
    throw new Problem('not_found', 'Not found')
}

function mayScrapeWithoutToken(dependencies: GateDependencies, { client }: GuardedRequest): boolean {
  const { tokenRequired, sources } = dependencies.scraping()
  return !tokenRequired && (sources.isEmpty || sources.has(client.address))
}

function unauthenticated(access: Access): Problem {
  return access === 'admin' || access === 'any-session'
    ? new Problem('sign_in_required', 'Sign in first')
    : new Problem('missing_token', 'The header Authorization with a bearer token is missing')
}

function checkCaller(guarded: GuardedRequest, { via }: Caller, access: Access): void {
  if (via.kind === 'token') checkToken(via.role, access)
  if (via.kind === 'session') checkSession(guarded, via, access)
  if (via.kind === 'operator' && access === 'any-session') throw new Problem('sign_in_required', 'Sign in first')
}

function checkToken(role: 'read' | 'read_write', access: Access): void {
  if (access === 'admin' || access === 'any-session')
    throw new Problem('insufficient_scope', 'This needs a signed-in administrator, not a token')
  if (role === 'read' && access !== 'read' && access !== 'scrape')
    throw new Problem('insufficient_scope', 'This needs a read/write token')
}

const isRead = ({ request }: Pick<GuardedRequest, 'request'>): boolean =>
  request.method === 'GET' || request.method === 'HEAD'

type SessionVia = Extract<Caller['via'], { kind: 'session' }>

function checkSession(guarded: GuardedRequest, session: SessionVia, access: Access): void {
  if (!isRead(guarded)) {
    if (isCrossSite(guarded)) throw new Problem('forbidden', 'Requests from other sites are refused')
    if (!hasCsrfToken(guarded, session.key))
      throw new Problem('forbidden', 'The header X-CSRF-Token is missing or not valid')
  }
  if (session.passwordChangeRequired && access !== 'any-session')
    throw new Problem('password_change_required', 'The generated password must be changed first')
}
