import { isDeepStrictEqual } from 'node:util'
import { whyNotPublic } from '../../sites/domains.ts'
import { isObject } from '../config/json-location.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import { ImportReport } from '../config/site-reading.ts'
import { readTraefikDocument } from './read-document.ts'
import { readEntryPoints } from './read-entry-points.ts'
import { type Effects, TraefikMiddlewares } from './read-middlewares.ts'
import { readRule, type RouteMatch } from './read-rule.ts'
import { own, type ProxyInput, shown, TraefikServices, withoutProvider } from './read-service.ts'

/** Sites, and paths of one, that are read at most. */
const [maxSites, maxPaths] = [5000, 50]

type Definition = Readonly<Record<string, unknown>>

/** One alternative of a router. */
interface Route extends RouteMatch {
  readonly path?: { readonly match: 'prefix' | 'exact'; readonly path: string }
  /** JSON pointer of the router. */
  readonly place: string
  readonly isSecure: boolean
  /** Of routers for the same request, the one with the highest answers. */
  readonly priority: number
  readonly tls: Definition
  readonly effects: Effects
  readonly proxy: ProxyInput
}

/**
 * Reads the routers of a dynamic configuration of Traefik, version 2 or 3, in YAML or TOML: those with the same hosts become one
 * site, those that ask for a path its paths. What a site cannot do is in the report; a site that would answer where Traefik did
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

  constructor(http: Definition, document: Definition) {
    this.#document = document
    this.#http = http
    this.#services = new TraefikServices(http)
    this.#middlewares = new TraefikMiddlewares(http)
  }

  read(): ImportReading {
    const routers = isObject(this.#http['routers']) ? Object.entries(this.#http['routers']) : []
    const routes = routers.flatMap(([name, router]) => this.#routesOf(name, isObject(router) ? router : {}))
    const byHosts = Map.groupBy(routes, ({ hosts }) => hosts.toSorted().join(' '))
    const sites = Array.from(byHosts.values(), (some) => this.#site(some)).filter((site) => site !== undefined)
    if (sites.length > maxSites)
      this.#report.leftOut(
        { path: '/http/routers' },
        `${sites.length - maxSites} sites more than the ${maxSites} that can be imported at once`,
      )
    for (const kind of ['tcp', 'udp']) this.#leaveOut(kind)
    return { sites: sites.slice(0, maxSites), report: this.#report.items() }
  }

  #leaveOut(kind: string): void {
    const part = this.#document[kind]
    if (!isObject(part) || !isObject(part['routers'])) return
    for (const name of Object.keys(part['routers']))
      this.#report.leftOut(
        { path: `/${kind}/routers/${shown(name)}` },
        `a router for ${kind.toUpperCase()}: not possible with stock Caddy`,
      )
  }

  #routesOf(name: string, router: Definition): Route[] {
    const place = `/http/routers/${shown(name)}`
    const leave = (what: string): [] => {
      this.#report.leftOut({ path: place }, what)
      return []
    }
    const rule = readRule(typeof router['rule'] === 'string' ? router['rule'] : '')
    if ('problem' in rule) return leave(rule.problem)
    const effects = this.#middlewares.read(router['middlewares'])
    const entryPoints = readEntryPoints(router['entryPoints'])
    effects.lost.push(...entryPoints.lost)
    effects.unsafe.push(...entryPoints.unsafe)
    const isSecure = isObject(router['tls']) || router['tls'] === true || entryPoints.isSecure
    const only = {
      place,
      isSecure,
      effects,
      tls: isObject(router['tls']) ? router['tls'] : {},
      priority: priorityOf(router),
    }
    // What only leads to HTTPS needs no service.
    if (effects.redirectsToHttps && !isSecure)
      return rule.matches.map((match) => Object.assign({}, match, only, { proxy: {} }))
    const service = this.#services.read(typeof router['service'] === 'string' ? router['service'] : name)
    if ('problem' in service) return leave(service.problem)
    effects.lost.push(...service.lost)
    const proxy = withRetries(service.members, effects.retries)
    return rule.matches.map((match) => Object.assign({}, match, only, { proxy }))
  }

  #site(routes: readonly Route[]): ImportedSite | undefined {
    const secure = routes.filter(({ isSecure }) => isSecure)
    const redirects = routes.filter(({ isSecure, effects }) => !isSecure && effects.redirectsToHttps)
    const plain = routes.filter(({ isSecure, effects }) => !isSecure && !effects.redirectsToHttps)
    const { used, shadowed } = usedOf(secure.length > 0 ? secure : plain)
    const [any] = used
    const domains = [...(routes[0]?.hosts ?? [])]
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
    const reasons = used.flatMap((route) =>
      [...route.effects.unsafe, ...this.#clientCertificates(route)].map((what) => ({ route, what })),
    )
    const guard = guardOf(used)
    if (guard.isMixed) reasons.push({ route: any, what: 'its paths ask different things of visitors' })
    for (const { route, what } of reasons) add('changed', route, `${what}; the site is switched off`)
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
        domains,
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

  /** Why visitors would no longer need a certificate of their own. */
  #clientCertificates({ tls }: Route): string[] {
    if (typeof tls['options'] !== 'string') return []
    const all = isObject(this.#document['tls']) ? this.#document['tls'] : {}
    const options = isObject(all['options']) ? own(all['options'], withoutProvider(tls['options'])) : undefined
    if (!isObject(options)) return [`the TLS options ${shown(tls['options'])}, which are not in this file`]
    return options['clientAuth'] === undefined ? [] : ['certificates of visitors, whose authority has to be uploaded']
  }
}

/** A text that routes with the same path share. */
const keyOf = ({ path }: Route): string => (path === undefined ? '' : `${path.match} ${path.path}`)

/** Routes of the same hosts that answer, and those that never do because another one has their path. */
function usedOf(routes: readonly Route[]) {
  const used = new Map<string, Route>()
  const shadowed: { route: Route; by: Route }[] = []
  for (const route of routes.toSorted((a, b) => b.priority - a.priority)) {
    const by = used.get(keyOf(route))
    if (by === undefined) used.set(keyOf(route), route)
    else if (by.place !== route.place) shadowed.push({ route, by })
  }
  // In the order of the file.
  return { used: routes.filter((route) => used.get(keyOf(route)) === route), shadowed }
}

/** What Traefik orders routers by: what they say themselves, or else the length of their rule. */
function priorityOf({ priority, rule }: Definition): number {
  if (typeof priority === 'number' && Number.isFinite(priority) && priority !== 0) return priority
  return typeof rule === 'string' ? rule.length : 0
}

const demands = ['hashes', 'allow', 'forwardAuth'] as const

/**
 * What is asked of visitors, put together from all routes of a site. Mixed when two ask different things of one kind: one of them
 * would be more open than it was.
 */
function guardOf(routes: readonly Route[]) {
  const asked = <Key extends (typeof demands)[number]>(key: Key) =>
    routes.map(({ effects }) => effects[key]).filter((value) => value !== undefined)
  const [hashes, allow, forwardAuth] = [asked('hashes')[0], asked('allow')[0], asked('forwardAuth')[0]]
  return {
    hashes: hashes ?? {},
    members: {
      basic_auth: Object.keys(hashes ?? {}).map((username) => ({ username })),
      access: { allow: allow ?? [] },
      forward_auth: forwardAuth ?? null,
    } satisfies Partial<SiteInput>,
    isMixed: demands.some((key) => asked(key).some((value) => !isDeepStrictEqual(value, asked(key)[0]))),
    stricter: routes.filter(({ effects }) =>
      demands.some((key) => effects[key] === undefined && asked(key).length > 0),
    ),
  }
}

function pathsOf(routes: readonly Route[]) {
  const paths: NonNullable<SiteInput['paths']> = []
  const dropped: { route: Route; what: string }[] = []
  // Traefik prefers the longer rule.
  const byLength = routes.toSorted((a, b) => (b.path?.path.length ?? 0) - (a.path?.path.length ?? 0))
  for (const route of byLength) {
    const { path, effects, proxy } = route
    const isStripped = path !== undefined && effects.strips.includes(path.path)
    const others = effects.strips.filter((prefix) => prefix !== path?.path)
    if (others.length > 0) dropped.push({ route, what: `that ${others.map(shown).join(', ')} is taken off the path` })
    if (path === undefined) continue
    if (paths.length >= maxPaths)
      dropped.push({ route, what: `the path ${shown(path.path)}: a site has at most ${maxPaths}` })
    else
      paths.push({
        ...path,
        strip: isStripped,
        kind: 'proxy',
        ...proxy,
        request_headers: effects.requestHeaders,
        response_headers: effects.responseHeaders,
      })
  }
  return { paths, dropped }
}

const withRetries = (members: ProxyInput, retries: number): ProxyInput =>
  retries === 0 ? members : { ...members, lb: { ...members.lb, retries } }
