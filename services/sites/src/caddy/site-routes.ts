import { isWildcard } from '../sites/domains.ts'
import { accessRoutes, maintenanceRoutes } from './access-routes.ts'
import type { CompiledSite, ConfigOptions, NodeProfile, PortalSockets } from './desired-state.ts'
import { forwardAuthHandlers } from './forward-auth.ts'
import { requestHeaderRoutes, responseHeaderHandlers, setResponseHeaders } from './headers.ts'
import { pathRoutes } from './path-routes.ts'
import type { ProxyContext } from './proxy-handler.ts'
import { httpsRedirect, pathRedirectRoutes } from './redirects.ts'
import { portalRoutes, signInRoutes } from './sign-in-routes.ts'
import { statusRoutes } from './status-routes.ts'
import { closedRoute, targetRoutes } from './target-routes.ts'

/** Context of a site's routes. */
export interface SiteContext {
  readonly options: ConfigOptions
  readonly node: NodeProfile
  readonly note: (siteId: number, text: string) => void
}

/** The servers a site answers on. */
export function serversOf({ record }: CompiledSite): { readonly https: boolean; readonly http: 'site' | 'redirect' } {
  const { mode, client_auth_ca_id: clientAuthority } = record.tls
  if (mode === 'off') return { https: false, http: 'site' }
  // Whoever wants client certificates cannot be served without TLS, and neither can a sign-in.
  const needsTls = clientAuthority !== null || record.sign_in !== null || record.kind === 'portal'
  return { https: true, http: record.force_https || needsTls ? 'redirect' : 'site' }
}

/** The only route of a site that sends plain HTTP to HTTPS. */
export function redirectToHttps({ node }: SiteContext): object[] {
  return [{ handle: [httpsRedirect(node.httpsPort)] }]
}

/**
 * The routes inside a site, in the order a request meets them: headers of every answer, who may come, maintenance, body limit,
 * sign-in, headers of the site's own answers, redirects, basic authentication, forward authentication, headers for the upstream,
 * compression, paths, the rest.
 */
export function siteRoutes(site: CompiledSite, scheme: 'http' | 'https', context: SiteContext): object[] {
  const { record } = site
  const { node, options } = context
  const lacking = whatIsLacking(site, node)
  if (lacking !== undefined) {
    context.note(site.id, `${lacking}; the site is closed until then`)
    return [closedRoute]
  }
  noteOnNetworks(site, context)
  const proxies: ProxyContext = {
    capabilities: node.capabilities,
    streamCloseDelay: options.streamCloseDelay ?? 300,
    authorities: site.upstreamAuthorities ?? {},
    trustedProxies: node.trustedProxies ?? [],
    note: (text) => context.note(site.id, text),
  }
  const handlers = (list: readonly object[]) => (list.length === 0 ? [] : [{ handle: list }])
  const auth = basicAuthHandler(site)
  const answers = answerHeaders(site, scheme)
  const { portal } = node
  const rest = (portal && ownPages(record, portal, node)) ?? targetRoutes(record, proxies, site.rawRoutes)
  return [
    ...handlers(answers.every),
    ...accessRoutes(record, node.capabilities),
    ...maintenanceRoutes(record, options.maintenancePage, node.capabilities),
    ...handlers(record.max_body === null ? [] : [{ handler: 'request_body', max_size: record.max_body }]),
    ...(portal === undefined ? [] : signInRoutes(site, portal, node)),
    ...handlers(answers.own),
    ...pathRedirectRoutes(record.redirects),
    ...handlers([...(auth ? [auth] : []), ...forwardAuthHandlers(record.forward_auth)]),
    ...requestHeaderRoutes(record.request_headers),
    ...handlers(compression(record.compression)),
    ...pathRoutes(record.paths, rest, proxies),
  ]
}

/** The routes of a site whose pages this service makes itself; undefined for others. */
function ownPages(
  { kind, status_page: slug }: CompiledSite['record'],
  portal: PortalSockets,
  node: NodeProfile,
): object[] | undefined {
  if (kind === 'portal') return portalRoutes(portal, node)
  return kind === 'status' && slug !== null ? statusRoutes(portal, slug) : undefined
}

/** Behind another proxy an old Caddy sees that proxy only, so its lists of networks are about the wrong address. */
function noteOnNetworks({ id, record }: CompiledSite, { node, note }: SiteContext): void {
  const { access, maintenance, maintenance_mode: isInMaintenance, sign_in: signIn } = record
  const networks = [
    ...access.allow,
    ...access.deny,
    ...(isInMaintenance ? maintenance.allow : []),
    ...(signIn?.rules ?? []).flatMap((rule) => rule.networks),
  ]
  if (networks.length > 0 && (node.trustedProxies ?? []).length > 0 && !node.capabilities.clientIpMatcher)
    note(id, 'this Caddy compares networks with the proxy in front of it, not with the visitor')
}

/**
 * Handlers that change the headers of every answer, and of those that the site itself gives: a sign-in, a refusal or the page of
 * maintenance that became cacheable would stay for ever.
 */
function answerHeaders({ record }: CompiledSite, scheme: 'http' | 'https'): Record<'every' | 'own', object[]> {
  const { hsts, response_headers: changes } = record
  const fixed = Object.entries({
    ...(hsts !== null && scheme === 'https' && { 'Strict-Transport-Security': hstsValue(hsts) }),
    ...(record.access.noindex && { 'X-Robots-Tag': 'noindex, nofollow' }),
  })
  const isChanged = ([name]: readonly [string, string]) =>
    changes.some((change) => change.name.toLowerCase() === name.toLowerCase())
  const set = (headers: typeof fixed) => (headers.length > 0 ? [setResponseHeaders(Object.fromEntries(headers))] : [])
  return {
    every: set(fixed.filter((header) => !isChanged(header))),
    own: [...responseHeaderHandlers(changes), ...set(fixed.filter(isChanged))],
  }
}

function hstsValue(hsts: NonNullable<CompiledSite['record']['hsts']>): string {
  return [
    `max-age=${hsts.max_age}`,
    ...(hsts.subdomains ? ['includeSubDomains'] : []),
    ...(hsts.preload ? ['preload'] : []),
  ].join('; ')
}

function compression(kind: CompiledSite['record']['compression']): object[] {
  if (kind === 'off') return []
  const prefer = kind === 'both' ? ['zstd', 'gzip'] : [kind]
  return [{ handler: 'encode', encodings: Object.fromEntries(prefer.map((name) => [name, {}])), prefer }]
}

/** Returns what a site lacks to be safe: without it the site would be open, or answer as another. */
export function whatIsLacking(site: CompiledSite, node: Pick<NodeProfile, 'portal'>): string | undefined {
  const { record } = site
  if (record.sign_in !== null || record.kind === 'portal') {
    if (node.portal === undefined) return 'there is no portal that this Caddy can reach'
    if (record.tls.mode === 'off') return 'sign-in needs TLS'
    if (record.domains.some(isWildcard)) return 'sign-in needs domains without a wildcard'
  }
  if (record.kind === 'status' && node.portal === undefined) return 'this Caddy cannot reach the service’s status pages'
  if (record.kind === 'raw' && site.rawRoutes === undefined) return 'its raw directives have not been accepted'
  if (record.basic_auth.length > 0 && basicAuthHandler(site) === undefined) return 'its passwords are not there'
  if (record.tls.client_auth_ca_id !== null && (site.clientAuthorities ?? []).length === 0)
    return 'the authority of its client certificates is not there'
  const cas = [record, ...record.paths].flatMap(({ upstream_tls: tls }) => (tls.ca_id === null ? [] : [tls.ca_id]))
  return cas.every((id) => site.upstreamAuthorities?.[id]) ? undefined : 'the authority of its upstreams is not there'
}

/** The handler that requires name and password; undefined when the site has no users or their hashes are not there. */
function basicAuthHandler({ record, passwordHashes = {} }: CompiledSite): object | undefined {
  const accounts = record.basic_auth.flatMap(({ username }) => {
    // A user name may equal a property that every object has.
    const password = Object.hasOwn(passwordHashes, username) ? passwordHashes[username] : undefined
    return password === undefined || /[{}]/.test(username) ? [] : [{ username, password }]
  })
  if (accounts.length === 0) return undefined
  return {
    handler: 'authentication',
    providers: { http_basic: { accounts, hash: { algorithm: 'bcrypt' }, hash_cache: {} } },
  }
}
