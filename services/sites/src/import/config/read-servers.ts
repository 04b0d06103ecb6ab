import { at, type JsonLocation, membersOf, textsOf } from './json-location.ts'
import { ServerHosts } from './host-routes.ts'
import { isMaintenance } from './read-answers.ts'
import type { ImportReport, ReadOptions } from './site-reading.ts'

/** A server of the http app that sites can be read from. */
export interface ReadServer {
  readonly location: JsonLocation
  readonly hosts: ServerHosts
}

/** The two servers of sites. Each may be made of several of Caddy's. */
export interface ReadServers {
  readonly https: readonly ReadServer[]
  readonly http: readonly ReadServer[]
}

/** Members of a server that say nothing about single sites, and what becomes of them. */
const ownMembers = new Set(['listen', 'routes', 'errors', 'tls_connection_policies', 'logs', 'automatic_https'])
const harmless = new Set(['strict_sni_host', '@id', 'metrics'])

/** Finds the servers for HTTPS and plain HTTP on the usual ports; what listens elsewhere is reported. */
export function readServers(http: JsonLocation, report: ImportReport, options: ReadOptions): ReadServers {
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
