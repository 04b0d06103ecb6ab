import type { Log } from '@hearth/runtime'
import { answerHeaders } from '../portal/page-html.ts'
import { portalCookie, type PageRequest } from '../portal/portal-page-request.ts'
import { hostCookie } from '../portal/request-cookies.ts'
import type { LibraryContext, LibraryProvider } from './oidc-library.ts'
import { providerCookies, type RequestPages } from './provider-configuration.ts'
import { onwardPage, showPage } from './provider-pages.ts'
import { portalSessionPrefix } from './session-adapter.ts'

/** What happens at a provider beside its answers. */
export interface ProviderEvents {
  readonly pages: RequestPages
  readonly log: Log
  /** Somebody was signed in to an application. */
  readonly onSignedIn: (page: PageRequest, clientName: string) => void
  /** An application sent a wrong secret. */
  readonly onWrongSecret: (page: PageRequest) => void
  /** Ends a session of the portal; its user signed out through an application. */
  readonly endSession: (page: PageRequest) => Promise<void>
}

/** No page of the library runs scripts but the one that sends its own form. */
const policy = "default-src 'none'; script-src; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Creates the handler of requests that the library answers. */
export function createLibraryHandler(provider: LibraryProvider, events: ProviderEvents) {
  const { pages } = events
  provider.use(async (context, next) => {
    const page = pages.get(context.req)
    context.set({ ...answerHeaders, 'Content-Security-Policy': policy })
    await next()
    if (page?.session !== undefined) hideSessionCookie(context)
    if (page !== undefined && context.oidc?.route === 'authorization') addCookies(context, page.cookies)
    if (context.oidc?.route === 'end_session_confirm') await finishSignOut(context, page, events)
  })
  listen(provider, events)
  const answer = provider.callback()
  return (page: PageRequest): void => {
    pages.set(page.request, page)
    prepareHeaders(page)
    answer(page.request, page.response)
  }
}

/**
 * Replaces what a visitor may have made up by what is known: the address that was visited, and the session of the portal in place
 * of one of the library.
 */
function prepareHeaders({ request, authority, session }: PageRequest): void {
  const { headers } = request
  for (const name of Object.keys(headers)) if (/^(x-)?forwarded/.test(name)) delete headers[name]
  headers['x-forwarded-proto'] = 'https'
  headers['x-forwarded-host'] = authority
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
  // The library would take a value in quotes for the same without them.
  const isOwn = (value: string) => session === undefined && /^[\w-]+$/.test(value)
  const begin = `${providerCookies.session}=`
  const kept = cookies.filter((cookie) => !cookie.startsWith(begin) || isOwn(cookie.slice(begin.length)))
  if (session !== undefined) kept.push(`${providerCookies.session}=${portalSessionPrefix}${session.id}`)
  headers.cookie = kept.join('; ')
}

/** The cookie of the browser, for whom a sign-in is from now on. */
function addCookies(context: LibraryContext, cookies: readonly string[]): void {
  const set = [context.response.get('set-cookie') ?? []].flat()
  if (cookies.length > 0) context.set('set-cookie', [...set, ...cookies])
}

/** The session is the portal's, which has a cookie already. */
function hideSessionCookie(context: LibraryContext): void {
  const set = [context.response.get('set-cookie') ?? []].flat()
  const kept = set.filter((cookie) => !cookie.startsWith(`${providerCookies.session}=`))
  if (kept.length === 0) context.remove('set-cookie')
  else context.set('set-cookie', kept)
}

async function finishSignOut(
  context: LibraryContext,
  page: PageRequest | undefined,
  { endSession }: ProviderEvents,
): Promise<void> {
  if (context.status !== 303) return
  const isEverywhere = context.oidc?.params?.['logout'] !== undefined
  if (isEverywhere && page?.session !== undefined) {
    await endSession(page)
    context.set('set-cookie', [hostCookie(portalCookie, '', 0)])
  }
  const location = String(context.response.get('location'))
  context.remove('location')
  showPage(context, onwardPage('Signed out', { location, label: new URL(location).host }))
}

function listen(provider: LibraryProvider, { pages, log, onSignedIn, onWrongSecret }: ProviderEvents): void {
  const onError = (_: LibraryContext, error: Error) => log.error({ err: error }, 'the OpenID Connect provider failed')
  provider.on('server_error', onError)
  provider.on('error', (error: Error) => log.error({ err: error }, 'the OpenID Connect provider failed'))
  provider.on('authorization.success', ({ req, oidc }: LibraryContext) => {
    const page = pages.get(req)
    const isSilent = oidc?.params?.['prompt'] === 'none'
    if (page !== undefined && !isSilent) onSignedIn(page, oidc?.client?.clientName ?? '')
  })
  for (const event of ['grant.error', 'revocation.error'])
    provider.on(event, ({ req }: LibraryContext, { message }: Error) => {
      const page = pages.get(req)
      if (page !== undefined && message === 'invalid_client') onWrongSecret(page)
    })
}
