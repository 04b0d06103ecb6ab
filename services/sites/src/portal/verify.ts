import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hashToken } from '@hearth/credentials'
import type { Clock, Log } from '@hearth/runtime'
import {
  identityHeaders,
  methodOverrides,
  portalHeaders,
  portalPath,
  portalTokenPrefix,
} from '../caddy/sign-in-routes.ts'
import { decide, type Decision, type PortalUser } from './decide.ts'
import { answerHeaders, html, sendPage } from './page-html.ts'
import type { PortalSnapshot, PortalState, ProtectedSite } from './portal-state.ts'
import { cookiesOf, hostCookie } from './request-cookies.ts'
import { headerOf } from './request-header.ts'
import { maxPath, pathOf } from './request-path.ts'
import { hashOf, siteCookie, stateCookie, type HandOverCodes, type SiteKeys } from './site-keys.ts'

/** Dependencies of decisions about requests. */
export interface VerifyDependencies {
  readonly log: Log
  readonly state: Pick<PortalState, 'current'>
  readonly keys: SiteKeys
  readonly codes: HandOverCodes
  readonly clock: Clock
}

/** Time that a visitor has to sign in, milliseconds. */
const signInTime = 3_600_000

/** A request to a protected site, as Caddy tells of it. */
interface AskedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly snapshot: PortalSnapshot
  readonly site: ProtectedSite
  /** Host name in lower case. */
  readonly host: string
  /** Host and port, as the visitor sees them. */
  readonly authority: string
  readonly method: string
  readonly target: string
}

/** Answers Caddy's question whether a request may pass: 204 with the identity of the visitor, or the answer for the visitor. */
export function createVerify(dependencies: VerifyDependencies) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    try {
      answerCaddy(dependencies, request, response)
    } catch (error) {
      dependencies.log.error({ err: error }, 'a request to a protected site could not be decided about')
      if (response.headersSent) response.destroy()
      else sendClosed(response)
    }
  }
}

function answerCaddy(dependencies: VerifyDependencies, request: IncomingMessage, response: ServerResponse): void {
  const asked = readAsked(dependencies, request, response)
  if (asked === undefined) return sendClosed(response)
  if (hasSpellingOf(identitySpellings, request)) return sendText(response, 400, 'Bad request')
  if (asked.site.signIn.namesMethods && hasSpellingOf(overrideSpellings, request))
    return sendText(response, 400, 'Bad request')
  if (pathOf(asked.target).length > maxPath) return sendText(response, 414, 'The address is too long')
  if (isOwnPath(asked.target)) return answerOwnPath(dependencies, asked)
  const user = identify(dependencies, asked)
  if (user === 'wrong token') return sendText(response, 401, 'The token is wrong, or is not for this site')
  const address = headerOf(request, portalHeaders.client)
  const decision = decide(
    asked.site.signIn,
    { method: asked.method, target: asked.target, address: address === '' ? undefined : address },
    user,
  )
  answer(asked, user, decision)
}

function readAsked(
  { state }: VerifyDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): AskedRequest | undefined {
  const snapshot = state.current()
  const [, id = ''] = /^\/verify\/(\d{1,15})(?:\?|$)/.exec(request.url ?? '') ?? []
  const site = snapshot?.sites.get(Number(id))
  const authority = headerOf(request, portalHeaders.authority).toLowerCase()
  const [, host = ''] = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.exec(authority) ?? []
  const method = headerOf(request, portalHeaders.method)
  const target = headerOf(request, portalHeaders.target)
  if (snapshot === undefined || site === undefined || method === '' || target === '') return undefined
  if (!site.domains.has(host.replace(/^\[|\]$/g, ''))) return undefined
  return { request, response, snapshot, site, host, authority, method, target }
}

/** The letters of names of headers. Some servers tell no more apart; Caddy removes the usual spellings before it asks. */
const lettersOf = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, '')))
const identitySpellings = lettersOf(identityHeaders)
const overrideSpellings = lettersOf(methodOverrides)

function hasSpellingOf(spellings: ReadonlySet<string>, { headers }: IncomingMessage): boolean {
  return Object.keys(headers).some(
    (name) => /^(?:remote|x)/.test(name) && spellings.has(name.replaceAll(/[^a-z]/g, '')),
  )
}

/** A token counts before a cookie; a wrong one is refused, so that a program learns of it. */
function identify(
  { keys, clock }: VerifyDependencies,
  { request, snapshot, site, host }: AskedRequest,
): PortalUser | 'wrong token' | undefined {
  const [, bearer] = /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (bearer?.toLowerCase().startsWith(`${portalTokenPrefix}_`) === true) {
    const token = snapshot.tokens.get(hashToken(bearer))
    const isOver = token !== undefined && token.expiresAt !== null && token.expiresAt <= clock.now()
    return token === undefined || isOver || token.siteId !== site.id ? 'wrong token' : token.user
  }
  for (const key of cookiesOf(request, siteCookie)) {
    const sessionId = keys.read(key, site.id, host)
    const session = sessionId === undefined ? undefined : snapshot.sessions.get(sessionId)
    if (session !== undefined && session.endsAt > clock.now()) return session.user
  }
  return undefined
}

function answer(asked: AskedRequest, user: PortalUser | undefined, decision: Decision): void {
  const { response, site } = asked
  if (decision.outcome === 'allow') {
    response.writeHead(204, user === undefined ? {} : identityOf(user))
    response.end()
    return
  }
  if (decision.outcome === 'sign_in') return askToSignIn(asked)
  if (!isPageVisit(asked)) return sendText(response, 403, 'You may not visit this address')
  sendPage(response, {
    status: 403,
    title: 'No access',
    body:
      user === undefined
        ? html`<p>Nobody may visit this address of ${site.name}.</p>`
        : html`<p>
              You are signed in as <strong>${user.username}</strong>, who may not visit this address of ${site.name}.
            </p>
            <p>
              <a href="${portalPath}/sign-in?${new URLSearchParams({ to: asked.target }).toString()}"
                >Sign in as somebody else</a
              >
            </p>`,
  })
}

/** Only letters that every server reads the same way stand in user names and groups. */
function identityOf({ username, email, groups }: PortalUser): Record<string, string> {
  return {
    'Remote-User': username,
    'Remote-Name': username,
    ...(groups.size > 0 && { 'Remote-Groups': [...groups].join(',') }),
    ...(email !== null && { 'Remote-Email': email }),
  }
}

/** A browser that opens a page is led to the portal; a program, a script or a form learns that it must sign in. */
function askToSignIn(asked: AskedRequest): void {
  const { response, snapshot, target } = asked
  if (snapshot.host === undefined) return sendClosed(response)
  if (!isPageVisit(asked)) return sendText(response, 401, 'Sign in first')
  leadToPortal(asked, snapshot.host, { target })
}

/** Leads a browser to the sign-in page; with `again` also one in which somebody is signed in. */
function leadToPortal(
  { request, response, site, authority }: AskedRequest,
  portalHost: string,
  { target, again }: { readonly target: string; readonly again?: '1' },
): void {
  // Several pages that are opened at once share the cookie.
  const known = cookiesOf(request, stateCookie).find((value) => /^[\w-]{43}$/.test(value))
  const state = known ?? randomBytes(32).toString('base64url')
  const [port = ''] = /:\d+$/.exec(authority) ?? []
  const query = new URLSearchParams({
    site: String(site.id),
    to: `https://${authority}${target.startsWith('/') ? target : '/'}`,
    state: hashOf(state),
    ...(again && { again }),
  })
  redirect(response, `https://${portalHost}${port}/sign-in?${query.toString()}`, [
    hostCookie(stateCookie, state, signInTime),
  ])
}

function isPageVisit({ request, method }: AskedRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const mode = request.headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return (request.headers.accept ?? '').includes('text/html')
}

/** Returns true for the paths at which the portal itself answers. */
function isOwnPath(target: string): boolean {
  const path = pathOf(target)
  return path === portalPath || path.startsWith(`${portalPath}/`)
}

function answerOwnPath(dependencies: VerifyDependencies, asked: AskedRequest): void {
  const { response, snapshot, authority, target } = asked
  const { pathname, searchParams } = new URL(target, 'https://site.invalid')
  if (pathname === `${portalPath}/callback`) return takeOver(dependencies, asked, searchParams.get('code') ?? '')
  if (pathname === `${portalPath}/sign-in` && snapshot.host !== undefined && isPageVisit(asked))
    return leadToPortal(asked, snapshot.host, { target: searchParams.get('to') ?? '/', again: '1' })
  if (pathname === `${portalPath}/sign-out` && snapshot.host !== undefined) {
    const [port = ''] = /:\d+$/.exec(authority) ?? []
    return redirect(response, `https://${snapshot.host}${port}/`, [hostCookie(siteCookie, '', 0)])
  }
  sendText(response, 404, 'There is no such page')
}

/** Takes a sign-in over from the portal. The code counts once, for this site, and in the browser that asked for it. */
function takeOver({ codes, keys, state, clock }: VerifyDependencies, asked: AskedRequest, code: string): void {
  const { request, response, site, host, authority } = asked
  const handOver = codes.take(code)
  const isRight =
    handOver?.siteId === site.id &&
    handOver.authority === authority &&
    cookiesOf(request, stateCookie).some((value) => hashOf(value) === handOver.state)
  const session = isRight ? state.current()?.sessions.get(handOver.sessionId) : undefined
  if (handOver === undefined || session === undefined)
    return sendPage(response, {
      status: 400,
      title: 'Please sign in again',
      body: html`<p>This sign-in is over, or it began in another browser.</p>
        <p><a href="/">Back to ${site.name}</a></p>`,
    })
  // The state stays: another tab of this browser may be on its way with it.
  redirect(response, `https://${authority}${handOver.target}`, [
    hostCookie(siteCookie, keys.create(session.id, site.id, host), session.endsAt - clock.now()),
  ])
}

function redirect(response: ServerResponse, location: string, cookies: readonly string[]): void {
  response.writeHead(302, { ...answerHeaders, Location: location, 'Set-Cookie': [...cookies] })
  response.end()
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const way = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
  response.writeHead(status, { ...answerHeaders, 'Content-Type': 'text/plain; charset=utf-8', ...way })
  response.end(`${text}\n`)
}

/** Caddy shows its page for a service that is away. */
function sendClosed(response: ServerResponse): void {
  sendPage(response, {
    status: 503,
    title: 'This site is closed',
    body: html`<p>It is protected, and nobody can be let in at the moment. Please try again later.</p>`,
    headers: { 'Retry-After': '10' },
  })
}
