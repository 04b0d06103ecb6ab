import { isWildcard } from '../sites/domains.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { PortalSockets, NodeProfile } from './desired-state.ts'
import { copyRoutes, forgetHeaders } from './forward-auth.ts'
import { plainPage } from './plain-page.ts'

/** Headers in which a protected site gets to know its visitor. No visitor can send them. */
export const identityHeaders = ['Remote-User', 'Remote-Name', 'Remote-Groups', 'Remote-Email'] as const

/** Headers in which Caddy tells the portal about a request. */
export const portalHeaders = {
  method: 'X-Forwarded-Method',
  target: 'X-Forwarded-Uri',
  client: 'Hearth-Client',
  authority: 'Hearth-Authority',
} as const

/** Path of a site at which the portal answers itself, whatever the rules. */
export const portalPath = '/.hearth'

/** First letters of tokens for sites. */
export const portalTokenPrefix = 'hsite'

/** Variable that says that the portal let a request pass. */
const passedVariable = 'hearth_portal'

/** Headers that many servers take for the method. */
export const methodOverrides = ['X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override'] as const

/**
 * Routes that ask the portal about each request to a protected site. A status of 2xx lets it pass; any other answer goes to the
 * visitor. Afterwards the request holds neither the cookies of the portal nor its tokens.
 */
export function signInRoutes(
  site: { readonly id: number; readonly record: SiteRecord },
  sockets: PortalSockets,
  node: NodeProfile,
): object[] {
  const { id, record } = site
  if (record.sign_in === null) return []
  const hasMethods = record.sign_in.rules.some(({ methods }) => methods.length > 0)
  return [
    {
      // A header that is named here would be taken away again on the way to the upstream.
      match: [{ header_regexp: { Connection: { pattern: '(?i)remote[-_]|cookie|authorization|forwarded|hearth' } } }],
      handle: [{ handler: 'static_response', status_code: 400, body: 'Bad request\n' }],
      terminal: true,
    },
    {
      handle: [
        forgetHeaders([...identityHeaders, ...(hasMethods ? methodOverrides : [])]),
        check(id, sockets, node),
        { handler: 'headers', request: { replace: { Cookie: forgottenCookies } } },
      ],
    },
    {
      match: [{ header_regexp: { Authorization: { pattern: `(?i)^bearer\\s+${portalTokenPrefix}_` } } }],
      handle: [{ handler: 'headers', request: { delete: ['Authorization'] } }],
    },
  ]
}

/** Whole cookies only: what is left must not become another one. */
const forgottenCookies = [
  { search_regexp: '(?:^|;\\s*)__Host-hearth_(?:site|state)=[^;]*', replace: '' },
  { search_regexp: '^;\\s*', replace: '' },
]

function check(siteId: number, { verify }: PortalSockets, node: NodeProfile): object {
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: verify }],
    transport: { protocol: 'http', dial_timeout: '3s', response_header_timeout: '10s' },
    rewrite: { method: 'GET', uri: `/verify/${siteId}?` },
    headers: {
      request: {
        set: {
          [portalHeaders.method]: ['{http.request.method}'],
          [portalHeaders.target]: ['{http.request.uri}'],
          [portalHeaders.authority]: ['{http.request.hostport}'],
          [portalHeaders.client]: [clientPlaceholder(node)],
        },
      },
    },
    handle_response: [
      {
        match: { status_code: [2] },
        routes: [{ handle: [{ handler: 'vars', [passedVariable]: 'passed' }] }, ...copyRoutes(identityHeaders)],
      },
    ],
  }
}

/** The visitor's address; nothing where an old Caddy sees only the proxy in front of it. */
function clientPlaceholder({ capabilities, trustedProxies = [] }: NodeProfile): string {
  if (capabilities.clientIpMatcher) return '{http.vars.client_ip}'
  return trustedProxies.length > 0 ? '' : '{http.request.remote.host}'
}

/** Routes of the site where visitors sign in. */
export function portalRoutes({ pages }: PortalSockets, node: NodeProfile): object[] {
  const proxy = {
    handler: 'reverse_proxy',
    upstreams: [{ dial: pages }],
    headers: {
      request: {
        set: {
          [portalHeaders.client]: [clientPlaceholder(node)],
          [portalHeaders.authority]: ['{http.request.hostport}'],
        },
      },
    },
  }
  return [{ handle: [proxy] }]
}

const awayPage = plainPage(
  'Sign-in is not available',
  'This site is protected, and the service that lets visitors in does not answer. Please try again in a moment.',
)

/** The route of a server's `errors` for requests that the portal could not be asked about. */
export function portalAwayRoute({ record }: { readonly record: SiteRecord }): object | undefined {
  if (record.sign_in === null && record.kind !== 'portal') return undefined
  // Under a wildcard it is closed, and asks nobody.
  if (record.domains.some(isWildcard)) return undefined
  return {
    match: [
      {
        host: [...record.domains],
        vars: { '{http.error.status_code}': ['500', '502', '503', '504'] },
        not: [{ vars: { [passedVariable]: ['passed'] } }],
      },
    ],
    handle: [
      {
        handler: 'static_response',
        status_code: 503,
        headers: {
          'Content-Type': ['text/html; charset=utf-8'],
          'Cache-Control': ['no-store'],
          'Retry-After': ['10'],
        },
        body: awayPage,
      },
    ],
    terminal: true,
  }
}
