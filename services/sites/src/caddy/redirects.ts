import type { AnswerMembers } from '../sites/proxy-schema.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { escapePlaceholders } from '../sites/placeholders.ts'

type Redirect = SiteRecord['redirects'][number]

const redirection = (status: number, location: string) => ({
  handler: 'static_response',
  status_code: status,
  headers: { Location: [location] },
})

/**
 * Returns where a request is redirected. The appended path always starts with a slash; after a bare path the host of the request stands before
 * it, else `//other.example` in the request would lead there.
 */
function locationOf(to: string, keepsPath: boolean): string {
  const target = escapePlaceholders(to)
  if (!keepsPath) return target
  const base = target.replace(/\/$/, '')
  const origin = to.startsWith('/') ? '{http.request.scheme}://{http.request.hostport}' : ''
  return `${origin}${base}{http.request.uri}`
}

/** The handler of a site or path of kind redirect. */
export function redirectHandler({ to, code, keep_path: keepsPath }: NonNullable<AnswerMembers['redirect']>): object {
  return redirection(code, locationOf(to, keepsPath))
}

/** Routes for the redirects of single paths, longest first. */
export function pathRedirectRoutes(redirects: readonly Redirect[]): object[] {
  return [...redirects].sort((one, other) => other.from.length - one.from.length).map(pathRedirectRoute)
}

function pathRedirectRoute({ from, to, code, keep_path: keepsPath }: Redirect): object {
  const prefix = from.endsWith('/*') ? from.slice(0, -2) : undefined
  const path = prefix === undefined ? [from] : prefix === '' ? ['/*'] : [prefix, `${prefix}/*`]
  const strips = keepsPath && prefix !== undefined && prefix !== ''
  return {
    match: [{ path }],
    handle: [
      ...(strips ? [{ handler: 'rewrite', strip_path_prefix: prefix }] : []),
      redirection(code, locationOf(to, keepsPath)),
    ],
    terminal: true,
  }
}

/** The handler that sends plain HTTP to HTTPS; the port is named when it is not the usual one. */
export function httpsRedirect(httpsPort: number): object {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  return redirection(308, `https://{http.request.host}${port}{http.request.uri}`)
}
