import { connectionPolicies, type ConnectionPolicies } from './connection-policies.ts'
import type { CompiledSite, CompileNote, DesiredState, NodeProfile } from './desired-state.ts'
import { seconds } from './proxy-handler.ts'
import { listenOn, serverRoutes, type ServerRoutes } from './http-servers.ts'
import { accessLogs } from './logs.ts'
import type { SitePositions } from './locate-error.ts'
import { serversOf, type SiteContext } from './site-routes.ts'
import { tlsApp } from './tls-app.ts'

/** A configuration, and how to read Caddy's answer to it. */
export interface CompiledConfig {
  readonly config: object
  readonly positions: SitePositions
  /** Parts that the node cannot do and that were left out. */
  readonly notes: readonly CompileNote[]
}

/**
 * Makes the whole configuration of one node. The same state always gives the same configuration, and every stored site gives one:
 * a site that lacks something it needs to be safe is closed (503) and noted. Disabled sites are left out.
 */
export function compileConfig(desired: DesiredState, node: NodeProfile): CompiledConfig {
  const sites = desired.sites.filter(({ record }) => record.enabled).sort((one, other) => one.id - other.id)
  const notes = new Map<string, CompileNote>()
  const context: SiteContext = {
    options: desired.options,
    node,
    note: (siteId, text) => void notes.set(`${siteId} ${text}`, { siteId, text }),
  }
  const secure = sites.filter((site) => serversOf(site).https)
  const https = serverRoutes(secure, 'https', context)
  const http = serverRoutes(sites, 'http', context)
  const tls = tlsApp(secure, desired.options, node)
  const connections = connectionPolicies(secure, node.capabilities)
  const logs = accessLogs(sites, node)
  const shared = { ...trusted(node), ...logs.server }
  const servers = {
    https: { ...httpsServer(secure, https, { node, connections }), ...shared },
    http: { ...serverBase(http, listenOn(node, node.httpPort)), automatic_https: { disable: true }, ...shared },
  }
  return {
    config: frame({ desired, node }, { servers, tls: tls.app, ...(logs.logging && { logging: logs.logging }) }),
    positions: {
      routes: { https: https.positions, http: http.positions },
      errorRoutes: { https: https.errorPlaces, http: http.errorPlaces },
      connectionPolicies: { https: connections.ids, http: [] },
      automationPolicies: tls.automationPolicies,
      pemCertificates: tls.pemCertificates,
      certificateFiles: tls.certificateFiles,
      domains: new Map(sites.flatMap(({ id, record }) => record.domains.map((domain) => [domain, id] as const))),
    },
    notes: [...notes.values()],
  }
}

function httpsServer(
  sites: readonly CompiledSite[],
  routes: ServerRoutes,
  { node, connections }: { readonly node: NodeProfile; readonly connections: ConnectionPolicies },
): object {
  return {
    ...serverBase(routes, listenOn(node, node.httpsPort)),
    tls_connection_policies: connections.policies,
    // A wildcard among uploaded certificates must not keep another site from a certificate of its own.
    automatic_https: { disable_redirects: true, ignore_loaded_certificates: true, ...skipCertificates(sites) },
    // A request that comes with the handshake of HTTP/3 has an address that nobody checked: old versions of Caddy believe it, and
    // newer ones refuse the request (425), which browsers show to people.
    ...(sites.some(({ record }) => record.reach !== 'everyone') && { protocols: ['h1', 'h2'] }),
    // Otherwise a visitor could name one site in the handshake and request the page of another that requires a certificate.
    ...(connections.requestsClientCertificates && { strict_sni_host: true }),
  }
}

function serverBase({ routes, errors }: ServerRoutes, listen: readonly string[]): object {
  // An idle connection must not stay open for ever.
  return { listen: [...listen], read_header_timeout: '30s', routes, ...(errors && { errors }) }
}

interface Parts {
  readonly servers: object
  readonly tls: object
  readonly logging?: object
}

function frame(to: { desired: DesiredState; node: NodeProfile }, { servers, tls, logging }: Parts): object {
  const { node, desired } = to
  const authority = { install_trust: node.installTrust ?? false }
  return {
    admin: adminBlock(node),
    ...(node.storageRoot !== undefined && { storage: { module: 'file_system', root: node.storageRoot } }),
    ...(logging && { logging }),
    apps: {
      http: {
        http_port: node.httpPort,
        https_port: node.httpsPort,
        grace_period: seconds(desired.options.gracePeriod ?? 60),
        servers,
      },
      tls,
      pki: { certificate_authorities: { local: authority } },
    },
  }
}

/** Always there: without it Caddy would move its admin endpoint to its usual place. */
function adminBlock({ admin }: NodeProfile): object {
  return {
    listen: admin.listen,
    ...(admin.origins && { origins: [...admin.origins] }),
    ...(admin.enforceOrigin && { enforce_origin: true }),
  }
}

function trusted({ trustedProxies = [], capabilities }: NodeProfile): object {
  if (trustedProxies.length === 0 || !capabilities.trustedProxies) return {}
  return { trusted_proxies: { source: 'static', ranges: [...trustedProxies] } }
}

/** Sites with uploaded certificates get none from an authority, not even when theirs is missing. */
function skipCertificates(sites: readonly CompiledSite[]): object {
  const names = sites.filter(({ record }) => record.tls.mode === 'custom').flatMap(({ record }) => record.domains)
  return names.length > 0 ? { skip_certificates: names } : {}
}
