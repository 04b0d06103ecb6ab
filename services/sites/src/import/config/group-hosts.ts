import { type HostView, ServerHosts } from './host-routes.ts'
import { at, itemsOf, type JsonLocation, membersOf, textsOf } from './json-location.ts'
import { isMaintenance } from './read-answers.ts'
import type { ImportReport, ReadOptions } from './site-reading.ts'

/** Limits of a configuration. */
export const configBounds = {
  depth: 100,
  values: 2_000_000,
  hosts: 20_000,
  sites: 5000,
  routeVisits: 1_000_000,
} as const

/** Returns why a configuration is too large or too deep to be read, or undefined. Takes any parsed JSON. */
export function boundsProblem(config: unknown): string | undefined {
  let level: unknown[] = [config]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > configBounds.depth) return `is nested deeper than ${configBounds.depth} levels`
    count += level.length
    if (count > configBounds.values) return `has more than ${configBounds.values} values`
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return undefined
}

/** A server of the http app that sites can be read from. */
interface ReadServer {
  readonly location: JsonLocation
  readonly hosts: ServerHosts
}

/** Members of a server that say nothing about single sites, and what becomes of them. */
const ownMembers = new Set(['listen', 'routes', 'errors', 'tls_connection_policies', 'logs', 'automatic_https'])
const harmless = new Set(['strict_sni_host', '@id', 'metrics'])

/** Finds the servers for HTTPS and plain HTTP on the usual ports; what listens elsewhere is reported. */
function readServers(http: JsonLocation, report: ImportReport, options: ReadOptions) {
  const isOurs = options.isOurs === true
  const { http: plain = 80, https: secure = 443 } = options.ports ?? {}
  const ports = { http: portOf(at(http, 'http_port')) ?? plain, https: portOf(at(http, 'https_port')) ?? secure }
  const servers = { https: [] as ReadServer[], http: [] as ReadServer[] }
  for (const [, location] of membersOf(at(http, 'servers'))) {
    const scheme = schemeOf(location, ports)
    if (scheme === undefined) {
      const listen = (textsOf(at(location, 'listen')) ?? []).join(', ').slice(0, 200)
      report.leftOut(
        location,
        `a server on ${listen || 'no address'}; sites are served on the ports for HTTP and HTTPS only`,
      )
      continue
    }
    servers[scheme].push({ location, hosts: new ServerHosts(at(location, 'routes'), isMaintenance) })
    for (const [name, member] of membersOf(location))
      if (!isOurs && !ownMembers.has(name) && !harmless.has(name))
        report.lost(member, `the option ${name.slice(0, 60)} of a server`)
  }
  return servers
}

function portOf(location: JsonLocation | undefined): number | undefined {
  return typeof location?.value === 'number' ? location.value : undefined
}

function schemeOf(server: JsonLocation, ports: { http: number; https: number }): 'http' | 'https' | undefined {
  const listen = textsOf(at(server, 'listen')) ?? []
  const found = new Set(
    listen.map((address) => {
      const port = Number(/:(\d{1,5})$/.exec(address)?.[1])
      return port === ports.http ? 'http' : port === ports.https ? 'https' : undefined
    }),
  )
  const [scheme] = found
  return found.size === 1 ? scheme : undefined
}

/** Hosts that the same routes of the same servers are for. */
export interface HostGroup {
  readonly hosts: string[]
  /** Location of the first of the routes. */
  readonly path: string
  readonly https: HostSide | undefined
  readonly http: HostSide | undefined
}

/** The routes of hosts on one server. */
export interface HostSide {
  readonly server: JsonLocation
  readonly view: HostView
}

/** Finds the hosts of all servers. Routes that are for every host and hosts of two servers are reported. */
export function groupHosts(http: JsonLocation, report: ImportReport, options: ReadOptions): HostGroup[] {
  const servers = readServers(http, report, options)
  const all = [...servers.https, ...servers.http]
  const hosts = [...new Set(all.flatMap((server) => Array.from(server.hosts.hosts)))]
  if (hosts.length > configBounds.hosts) {
    report.leftOut(http, `the whole: it names more than ${configBounds.hosts} hosts`)
    return []
  }
  for (const server of all) reportHostless(server, report)
  const groups = new Map<string, HostGroup>()
  let isTooMuch = false
  for (const host of hosts) {
    isTooMuch ||= all.reduce((sum, server) => sum + server.hosts.visits, 0) > configBounds.routeVisits
    if (isTooMuch) break
    addHost(host, { servers, report, groups })
  }
  if (isTooMuch) report.leftOut(http, 'the rest of the hosts: too many routes are for all of them')
  return [...groups.values()]
}

function addHost(
  host: string,
  on: { servers: ReturnType<typeof readServers>; report: ImportReport; groups: Map<string, HostGroup> },
): void {
  const https = sideOf(host, on.servers.https, on.report)
  const http = sideOf(host, on.servers.http, on.report)
  const path = (https ?? http)?.view.routes[0]?.path
  if (path === undefined) return
  const key = JSON.stringify([https, http].map((side) => side?.view.routes.map((route) => route.path)))
  const group = on.groups.get(key)
  if (group === undefined) on.groups.set(key, { hosts: [host], path, https, http })
  else group.hosts.push(host)
}

/** The server that has routes for the host. */
function sideOf(host: string, servers: readonly ReadServer[], report: ImportReport): HostSide | undefined {
  const own = servers.filter(({ hosts }) => hosts.hosts.has(host))
  for (const { location } of own.slice(1))
    report.leftOut(location, `${host.slice(0, 100)}, which another server has too`, host.slice(0, 253))
  const [server] = own
  return server && { server: server.location, view: server.hosts.view(host) }
}

/** Reports the answer to unknown hosts, which is a setting here. */
function reportHostless({ hosts }: ReadServer, report: ImportReport): void {
  for (const route of hosts.hostless) {
    const handlers = itemsOf(at(route, 'handle'))
    const isRefusal = handlers.every((handler) => {
      const status = at(handler, 'status_code')?.value
      return (
        at(handler, 'handler')?.value === 'static_response' && (at(handler, 'abort')?.value === true || status === 404)
      )
    })
    if (!isRefusal) report.leftOut(route, 'what hosts get that no other route is for; here they get 404')
  }
}
