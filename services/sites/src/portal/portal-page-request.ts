import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestOrigin } from '@hearth/accounts'
import { csrfTokenOf, hashToken, isCsrfToken } from '@hearth/credentials'
import { parseJson, type Clock } from '@hearth/runtime'
import type { VisitorKeys } from '../accounts/visitor-keys.ts'
import { portalHeaders } from '../caddy/sign-in-routes.ts'
import { badRequest, forbidden, Problem } from '../problems.ts'
import type { PortalSession, PortalSnapshot, PortalState } from './portal-state.ts'
import { cookiesOf, hostCookie } from './request-cookies.ts'
import { headerOf } from './request-header.ts'

/** Cookies of the portal's own pages: of the session, and of the browser, whoever is signed in. */
export const portalCookie = '__Host-hearth_portal'
export const browserCookie = '__Host-hearth_portal_browser'

const browserCookieAge = 86_400_000
const maxBody = 32_768

/** A request to a page of the portal. */
export interface PageRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly snapshot: PortalSnapshot
  readonly url: URL
  /** Host and port, as the visitor sees them. */
  readonly authority: string
  readonly from: RequestOrigin
  readonly session: (PortalSession & { readonly key: string }) | undefined
  /** Returns true once the session has ended, or has another key. */
  readonly isSessionOver: () => boolean
  /** Key of the browser, for challenges and CSRF tokens. */
  readonly browserKey: string
  readonly csrfToken: string
  /** Cookies that the answer sets. */
  readonly cookies: string[]
}

interface PageRequestDependencies {
  readonly visitors: VisitorKeys
  readonly clock: Clock
  readonly state: Pick<PortalState, 'current'>
}

/** Reads a request as Caddy sends it on; undefined when it is not for the portal. */
export function readPageRequest(
  message: { readonly request: IncomingMessage; readonly response: ServerResponse },
  snapshot: PortalSnapshot,
  { visitors, clock, state }: PageRequestDependencies,
): PageRequest | undefined {
  const { request } = message
  const authority = headerOf(request, portalHeaders.authority).toLowerCase()
  const [, host] = /^([a-z0-9_.-]+)(?::\d{1,5})?$/.exec(authority) ?? []
  if (host === undefined || host !== snapshot.host || !URL.canParse(request.url ?? '', `https://${authority}`))
    return undefined
  const cookies: string[] = []
  let browserKey = cookiesOf(request, browserCookie).find((key) => key.length < 200 && visitors.isValid(key))
  if (browserKey === undefined) {
    browserKey = visitors.create()
    cookies.push(hostCookie(browserCookie, browserKey, browserCookieAge))
  }
  const session = sessionOf(request, snapshot, clock.now())
  return {
    ...message,
    snapshot,
    url: new URL(request.url ?? '', `https://${authority}`),
    authority,
    from: {
      address: headerOf(request, portalHeaders.client),
      userAgent: headerOf(request, 'user-agent').slice(0, 500),
    },
    session,
    isSessionOver: () =>
      session !== undefined && state.current()?.sessionIds.get(hashToken(session.key)) !== session.id,
    browserKey,
    csrfToken: csrfTokenOf(browserKey),
    cookies,
  }
}

function sessionOf(request: IncomingMessage, snapshot: PortalSnapshot, now: number): PageRequest['session'] {
  for (const key of cookiesOf(request, portalCookie)) {
    const session = snapshot.sessions.get(snapshot.sessionIds.get(hashToken(key)) ?? '')
    if (session !== undefined && session.endsAt > now) return { ...session, key }
  }
  return undefined
}

/** Reads the body of a form or of a script of these pages. Throws a problem when another site may have sent it, or the session is over. */
export async function readPageBody(page: PageRequest): Promise<Readonly<Record<string, unknown>>> {
  const { request, authority } = page
  const site = request.headers['sec-fetch-site']
  const { origin } = request.headers
  if (site !== undefined && site !== 'same-origin') throw otherSite()
  if (origin !== undefined && origin !== `https://${authority}`) throw otherSite()
  const text = await readText(request)
  const body = parseBody(headerOf(request, 'content-type'), text)
  const { csrf } = body
  if (typeof csrf !== 'string' || !isCsrfToken(csrf, page.browserKey)) throw otherSite()
  // A body may take half a minute, in which somebody ended the session for good reasons.
  if (page.isSessionOver()) throw new Problem(401, 'Your session ended meanwhile. Please sign in again.')
  return body
}

/** Reads the JSON that a program sends; an empty object when it is none. */
export async function readJsonBody({ request }: Pick<PageRequest, 'request'>): Promise<unknown> {
  return parseJson(await readText(request)) ?? {}
}

const otherSite = () =>
  forbidden('This page was open for too long, or the request came from another site. Please try again.')

function parseBody(type: string, text: string): Readonly<Record<string, unknown>> {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {
    // Answered below.
  }
  throw badRequest('The body is neither a form nor JSON')
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > maxBody) throw new Problem(413, 'The body is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** A text of a body; empty when it is missing or no text. */
export function fieldOf(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name]
  return typeof value === 'string' ? value : ''
}
