import { whyNotPublic } from '../../sites/domains.ts'
import { isObject } from '../config/json-location.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import { ImportReport } from '../config/site-reading.ts'
import { asksVisitors, clientCertificatesOf, LeftOutRouters } from './left-out-routers.ts'
import { readTraefikDocument } from './read-document.ts'
import { readEntryPoints } from './read-entry-points.ts'
import { TraefikMiddlewares } from './read-middlewares.ts'
import { hostsOfRule, readRule } from './read-rule.ts'
import { shown, textOf, textsOf, TraefikServices } from './read-service.ts'
import { asksMore, guardOf, keyOf, pathsOf, priorityOf, type Route, usedOf, withRetries } from './site-routes.ts'

/** Sites that are read, and hosts that routers name, at most. */
const [maxSites, maxHosts] = [5000, 200_000]

/** A service that refuses everything. */
const refusing = 'noop@internal'

type Definition = Readonly<Record<string, unknown>>

/**
 * Reads the routers of a dynamic configuration of Traefik, version 2 or 3, in YAML or TOML: hosts that the same ones are for become
 * one site, those that ask for a path its paths. What a site cannot do is in the report; a site that would answer where Traefik did
 * not is switched off. Throws `TraefikUnreadable`.
 */
export function readTraefik(text: string): ImportReading {
  const document = readTraefikDocument(text)
  const http = isObject(document['http']) ? document['http'] : {}
  const reader = new TraefikReader(http, document)
  return reader.read()
}

class TraefikReader {
  readonly #report = new ImportReport()
  readonly #document: Definition
  readonly #http: Definition
  readonly #services: TraefikServices
  readonly #middlewares: TraefikMiddlewares
  readonly #leftOut = new LeftOutRouters()

  constructor(http: Definition, document: Definition) {
    this.#document = document
    this.#http = http
    this.#services = new TraefikServices(http)
    this.#middlewares = new TraefikMiddlewares(http)
  }

  read(): ImportReading {
    const routers = isObject(this.#http['routers']) ? Object.entries(this.#http['routers']) : []
    const routes = routers.flatMap(([name, router]) => this.#routesOf(name, isObject(router) ? router : {}))
    for (const kind of ['tcp', 'udp'] as const) this.#leaveOut(kind)
    const sites = this.#hostsOf(routes).flatMap(({ hosts, some }) => this.#site(hosts, some) ?? [])
    if (sites.length > maxSites)
      this.#report.leftOut(
        { path: '/http/routers' },
        `${sites.length - maxSites} sites more than the ${maxSites} that can be imported at once`,
      )
    return { sites: sites.slice(0, maxSites), report: this.#report.items() }
  }

  /** Hosts that the same routes are for, and the same routers that are left out, with these routes. */
  #hostsOf(routes: readonly Route[]): { hosts: string[]; some: Route[] }[] {
    if (routes.reduce((sum, { hosts }) => sum + hosts.length, 0) > maxHosts) {
      this.#report.leftOut({ path: '/http/routers' }, `the whole: its routers name more than ${maxHosts} hosts`)
      return []
    }
    const byHost = new Map<string, Set<number>>()
    routes.forEach(({ hosts }, index) => {
      for (const host of hosts) byHost.set(host, (byHost.get(host) ?? new Set()).add(index))
    })
    const groups = Map.groupBy(byHost, ([, indexes]) => [...indexes].join(' '))
    return [...groups.values()].flatMap((group) => {
      const some = [...(group[0]?.[1] ?? [])].flatMap((index) => routes[index] ?? [])
      const names = group.map(([host]) => host)
      const parts = Map.groupBy(names, (host) => this.#leftOut.before(some, host).join(' '))
      return Array.from(parts.values(), (hosts) => ({ hosts, some }))
    })
  }

  #leaveOut(kind: 'tcp' | 'udp'): void {
    const part = this.#document[kind]
    if (!isObject(part) || !isObject(part['routers'])) return
    const middlewares = new TraefikMiddlewares(part)
    for (const [name, router] of Object.entries(part['routers'])) {
      const place = `/${kind}/routers/${shown(name)}`
      this.#report.leftOut({ path: place }, `a router for ${kind.toUpperCase()}: not possible with stock Caddy`)
      if (kind === 'udp' || !isObject(router)) continue
      const { unsafe } = readEntryPoints(router['entryPoints'])
      const asks =
        asksVisitors(middlewares.read(router['middlewares'])) ||
        this.#certificatesOf(router, isObject(router['tls'])).length > 0
      // Those for TCP come before those for HTTP.
      if (unsafe.length === 0 && asks)
        this.#leftOut.add({ place, isFor: hostsOfRule(textOf(router['rule'])), priority: Infinity, isPlain: false })
    }
  }

  #routesOf(name: string, router: Definition): Route[] {
    const place = `/http/routers/${shown(name)}`
    const text = textOf(router['rule'])
    const entryPoints = readEntryPoints(router['entryPoints'])
    const hasEntryPoints = textsOf(router['entryPoints']).length > 0
    const isSecure = isObject(router['tls']) || router['tls'] === true || entryPoints.isSecure
    const effects = this.#middlewares.read(router['middlewares'])
    effects.unsafe.push(...this.#certificatesOf(router, isSecure))
    if (router['parentRefs'] !== undefined) effects.unsafe.push('the routers that it stands below')
    const priority = priorityOf(router)
    const leave = (what: string, isClosed: boolean): [] => {
      this.#report.leftOut({ path: place }, what)
      // At other entry points it kept nobody away from these.
      if (entryPoints.unsafe.length === 0 && (isClosed || asksVisitors(effects)))
        this.#leftOut.add({ place, priority, isPlain: !isSecure && hasEntryPoints, isFor: hostsOfRule(text) })
      return []
    }
    const rule = readRule(text)
    if ('problem' in rule) return leave(rule.problem, router['service'] === refusing)
    effects.lost.push(...entryPoints.lost)
    const only = { place, isSecure, effects, priority }
    // What only leads to HTTPS needs no service.
    if (effects.redirectsToHttps && !isSecure)
      return rule.matches.map((match) => Object.assign({}, match, only, { proxy: {} }))
    const service = this.#services.read(typeof router['service'] === 'string' ? router['service'] : name)
    if ('problem' in service) return leave(service.problem, router['service'] === refusing)
    effects.unsafe.push(...entryPoints.unsafe)
    effects.lost.push(...service.lost)
    const proxy = withRetries(service.members, effects.retries)
    return rule.matches.map((match) => Object.assign({}, match, only, { proxy }))
  }

  /** Why visitors of a router would no longer need a certificate of their own. */
  #certificatesOf({ tls }: Definition, isSecure: boolean): string[] {
    return isSecure ? clientCertificatesOf(isObject(tls) ? tls : {}, this.#document) : []
  }

  #site(domains: readonly string[], routes: readonly Route[]): ImportedSite | undefined {
    const secure = routes.filter(({ isSecure }) => isSecure)
    const redirects = routes.filter(({ isSecure, effects }) => !isSecure && effects.redirectsToHttps)
    const plain = routes.filter(({ isSecure, effects }) => !isSecure && !effects.redirectsToHttps)
    const { used, shadowed } = usedOf(secure.length > 0 ? secure : plain)
    const [any] = used
    const site = domains[0] ?? null
    const add = (outcome: 'changed' | 'lost' | 'left_out', { place }: Pick<Route, 'place'>, what: string) =>
      this.#report.add({ outcome, path: place, what, site })
    if (any === undefined) {
      for (const route of redirects) add('left_out', route, 'a redirect to HTTPS, where nothing answers')
      return undefined
    }
    for (const { route, by } of shadowed)
      add('left_out', route, `the same hosts and path as ${by.place}, which comes before it`)
    for (const route of used) for (const what of new Set(route.effects.lost)) add('lost', route, what)
    const answered = new Set(secure.map(keyOf))
    for (const route of secure.length > 0 ? plain : [])
      if (!answered.has(keyOf(route)))
        add('changed', route, 'a path that was there without HTTPS alone; it is no longer there')
    const reasons = this.#reasonsOf(site ?? '', { used, shadowed })
    const guard = guardOf(used)
    if (guard.isMixed) reasons.push({ place: any.place, what: 'its paths ask different things of visitors' })
    for (const { what, ...at } of reasons) add('changed', at, `${what}; the site is switched off`)
    for (const route of guard.stricter)
      add('changed', route, 'what its middlewares ask of visitors now holds for the whole site')
    const { paths, dropped } = pathsOf(used)
    for (const { route, what } of dropped) add('lost', route, what)
    const main = used.find(({ path }) => path === undefined)
    const isPublic = domains.every((domain) => whyNotPublic(domain) === undefined)
    const target: Partial<SiteInput> =
      main === undefined
        ? { kind: 'respond', respond: { status: 404, body: '404 page not found\n' } }
        : { kind: 'proxy', ...main.proxy }
    const effects = (main ?? any).effects
    return {
      path: any.place,
      site: {
        site_name: domains[0] ?? '',
        domains: [...domains],
        ...target,
        paths,
        ...guard.members,
        ...(main === undefined
          ? {}
          : { request_headers: effects.requestHeaders, response_headers: effects.responseHeaders }),
        compression: effects.isCompressed ? 'both' : 'off',
        max_body: effects.maxBody,
        tls: { mode: secure.length === 0 ? 'off' : isPublic ? 'auto' : 'internal' },
        // Without a router for plain HTTP there is nothing that could answer otherwise.
        force_https: secure.length > 0 && (redirects.length > 0 || plain.length === 0),
        hsts: secure.length > 0 ? (effects.hsts ?? null) : null,
        enabled: reasons.length === 0,
      },
      hashes: guard.hashes,
    }
  }

  /** Why a site would stand more open than before, with the place of what says so. */
  #reasonsOf(host: string, { used, shadowed }: ReturnType<typeof usedOf>) {
    const reasons = used.flatMap(({ place, effects }) => effects.unsafe.map((what) => ({ place, what })))
    for (const { route, by } of shadowed)
      if (route.priority === by.priority && asksMore(route, by))
        reasons.push({ place: route.place, what: `it asks more of visitors than ${by.place}, and either may answer` })
    for (const place of this.#leftOut.before(used, host))
      reasons.push({ place, what: 'it is left out, and kept visitors away from a part of the site' })
    return reasons
  }
}
