import { checkTokenPermissions, readBearer } from '@hearth/accounts'
import { addressGroup, createBudget, routeFor, type Budget, type GuardedRequest, type Route } from '@hearth/http'
import type { CheckScrape } from '@hearth/metrics'
import type { Clock } from '@hearth/runtime'
import { checkAllowance, isCrossSite, isRead } from '@hearth/service'
import { csrfCookie, isSame, type CsrfTokens } from './accounts/csrf.ts'
import { forbidden, Problem, unauthenticated } from './problems.ts'
import { TokenPermissions } from './tokens/schema.ts'

/** The caller of a route. Without sign-in everybody is the local user. */
export interface Caller {
  readonly username: string
  /** Undefined while sign-in is off, and for a program with a token. */
  readonly sessionKey: string | undefined
  /** Id of the API token that a program sent. */
  readonly tokenId?: string
}

/** Callers that a handler gets, by the access its route states. */
interface Callers {
  /** Anyone; undefined without a session while sign-in is on. */
  public: Caller | undefined
  /** Somebody with a link: anyone, and nothing of a session or a token counts. */
  visitor: undefined
  /** Signed in, or sign-in is off; a token may read, and writes with the permissions `full`. */
  member: Caller
  /** As `member`, for work on jobs: a token writes with the permissions `submit`. */
  submitter: Caller
  /** As `member`, without tokens. */
  account: Caller
  /** As `member`, for reading; a browser without a session is sent to the sign-in page. */
  page: Caller
  /** A scraper; see `createScrapeCheck`. */
  scrape: undefined
}
/** Who may call a route; see `Callers`. */
export type Access = keyof Callers

/** Requests a minute from one address, counted for each route (docs/reference/media-api.md, "Limits"). */
export type Limit = 'none' | `${number}`

/** The service's way to write an endpoint; see `routeFor`. */
export const route = routeFor<Callers, Limit>()

/** The name of the session's cookie; other services on the same host name have theirs. */
export const sessionCookie = 'hearth_media_session'

/** A program with an API token. */
export interface TokenCaller extends Caller {
  readonly tokenId: string
  readonly permissions: TokenPermissions
}

interface GuardDependencies {
  readonly isSignInOn: () => boolean
  /** The user behind a session's key. */
  readonly identify: (key: string) => Promise<string | undefined>
  /** Identifies programs by their tokens; undefined while there are none. */
  readonly tokens: { readonly identify: (guarded: GuardedRequest, value: string) => Promise<TokenCaller> } | undefined
  readonly csrf: CsrfTokens
  readonly clock: Clock
  /** Names under which the service may be called while sign-in is off; addresses always are. */
  readonly hostNames: () => readonly string[]
  readonly checkScrape: CheckScrape
}

/** Creates the guard, which checks budget, session, access and origin of every request before it is parsed. */
export function createGuard(dependencies: GuardDependencies) {
  const { isSignInOn, identify, tokens, csrf, clock, hostNames, checkScrape } = dependencies
  const budgets = new Map<string, Budget>()

  function count(guarded: GuardedRequest, spec: Route['spec'] | undefined): void {
    if (spec?.limit === 'none') return
    const name = spec === undefined ? 'unknown' : `${spec.method} ${spec.path}`
    const limit = spec === undefined ? 60 : Number(spec.limit)
    const budget = budgets.get(name) ?? createBudget({ limit, windowSeconds: 60, clock })
    budgets.set(name, budget)
    checkAllowance(guarded, budget.take(addressGroup(guarded.client.address)), clock.now())
  }

  function checkCsrf({ request }: GuardedRequest, token: string | undefined, session: string | undefined): void {
    const cookie = request.cookies[csrfCookie]
    const isRight = cookie !== undefined && token !== undefined && isSame(cookie, token) && csrf.isValid(token, session)
    if (!isRight) throw forbidden('The CSRF token is missing or not that of the cookie; load the page again')
  }

  /** The token that a program sent; public routes take none. */
  const bearerOf = (guarded: GuardedRequest, spec: Route['spec'] | undefined) =>
    tokens === undefined || spec?.access === 'public' ? undefined : readBearer(guarded)

  /** While sign-in is off there is no session to bind to. */
  const sessionOf = ({ request }: GuardedRequest) => (isSignInOn() ? request.cookies[sessionCookie] : undefined)

  return {
    async check(guarded: GuardedRequest, spec: Route['spec'] | undefined): Promise<Caller | undefined> {
      if (spec?.access === 'scrape') return checkScrape(guarded)
      count(guarded, spec)
      const isOn = isSignInOn()
      if (!isOn) checkHost(guarded, hostNames())
      if (spec?.access === 'visitor') return checkVisitor(guarded)
      const bearer = bearerOf(guarded, spec)
      // A token goes before a cookie, and needs no CSRF token: no browser sends it by itself.
      if (tokens !== undefined && bearer !== undefined)
        return checkPermissions(guarded, await tokens.identify(guarded, bearer), spec)
      const key = guarded.request.cookies[sessionCookie]
      const username = key === undefined ? undefined : await identify(key)
      const signedIn = username === undefined ? undefined : { username, sessionKey: key }
      const caller = isOn ? signedIn : { username: 'local', sessionKey: undefined }
      const access = spec?.access ?? 'member'
      if (caller === undefined && access !== 'public') throw refusal(guarded, access)
      if (isRead(guarded)) return caller
      if (isCrossSite(guarded)) throw forbidden('Requests from other sites are refused')
      // A form may carry the token itself; it is checked when the form was read.
      if (!hasHeader(guarded) && spec?.takes !== undefined) return caller
      const token = guarded.request.headers['x-csrf-token']
      checkCsrf(guarded, typeof token === 'string' ? token : undefined, caller?.sessionKey ?? sessionOf(guarded))
      return caller
    },
    /** Checks the CSRF token of a form. */
    checkBody(guarded: GuardedRequest, spec: Route['spec'], body: unknown): void {
      if (isRead(guarded) || spec.takes === undefined || hasHeader(guarded) || spec.access === 'visitor') return
      if (bearerOf(guarded, spec) !== undefined) return
      const field = (body as { csrf_token?: unknown } | undefined)?.csrf_token
      checkCsrf(guarded, typeof field === 'string' ? field : undefined, sessionOf(guarded))
    },
  }
}

/** Lets anyone in. A visitor has no session that a forged request could use; other sites still have no business here. */
function checkVisitor(guarded: GuardedRequest): undefined {
  if (!isRead(guarded) && isCrossSite(guarded)) throw forbidden('Requests from other sites are refused')
}

/** Returns true for an access that tokens may have; the others need a session, or nothing. */
export const takesToken = (access: string): boolean =>
  access === 'member' || access === 'submitter' || access === 'page'

function checkPermissions(guarded: GuardedRequest, caller: TokenCaller, spec: Route['spec'] | undefined): TokenCaller {
  const access = spec?.access ?? 'member'
  if (!isRead(guarded) && isCrossSite(guarded)) throw forbidden('Requests from other sites are refused')
  checkTokenPermissions(TokenPermissions.options, caller.permissions, permissionsFor(access, isRead(guarded)))
  return caller
}

/** Least permissions of a token for routes of an access; undefined where only a session will do. */
function permissionsFor(access: string, isReading: boolean): TokenPermissions | undefined {
  if (!takesToken(access)) return undefined
  if (isReading) return 'read'
  return access === 'submitter' ? 'submit' : 'full'
}

/**
 * Redirects a browser to the sign-in page; answers a script with 401. What a share menu or a bookmark sent along is there again
 * after the sign-in.
 */
function refusal({ request }: GuardedRequest, access: string): Problem {
  const isBrowsing = access === 'page' && (request.headers.accept ?? '').includes('text/html')
  if (!isBrowsing) return unauthenticated()
  const { url } = request
  const next = url.includes('?') && url.length <= maxNext ? `?next=${encodeURIComponent(url)}` : ''
  return new Problem(303, 'Sign in first', { headers: { location: `/login${next}` } })
}

/** Longest address that is kept over a sign-in, characters. */
const maxNext = 2000

const hasHeader = ({ request }: GuardedRequest): boolean => request.headers['x-csrf-token'] !== undefined

/** Refuses unknown host names while sign-in is off, against DNS rebinding. */
function checkHost({ client }: GuardedRequest, names: readonly string[]): void {
  const host = client.host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':')
  if (isAddress || host === 'localhost' || host === '' || names.includes(host)) return
  throw forbidden(`While sign-in is off, the service answers only under its address, localhost and public_hostname`)
}
