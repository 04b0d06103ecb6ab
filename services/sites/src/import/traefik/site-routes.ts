import { isDeepStrictEqual } from 'node:util'
import type { SiteInput } from '../config/read-config.ts'
import type { Effects } from './read-middlewares.ts'
import type { RouteMatch } from './read-rule.ts'
import { type ProxyInput, shown } from './read-service.ts'

/** Paths of a site that are read at most. */
const maxPaths = 50

type Definition = Readonly<Record<string, unknown>>

/** One alternative of a router. */
export interface Route extends RouteMatch {
  readonly path?: { readonly match: 'prefix' | 'exact'; readonly path: string }
  /** JSON pointer of the router. */
  readonly place: string
  readonly isSecure: boolean
  /** Of routers for the same request, the one with the highest answers. */
  readonly priority: number
  readonly effects: Effects
  readonly proxy: ProxyInput
}

/** A text that routes with the same path share. */
export const keyOf = ({ path }: Route): string => (path === undefined ? '' : `${path.match} ${path.path}`)

/** Routes of the same hosts that answer, and those that never do because another one has their path. */
export function usedOf(routes: readonly Route[]) {
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
export function priorityOf({ priority, rule }: Definition): number {
  if (typeof priority === 'number' && Number.isFinite(priority) && priority !== 0) return priority
  return typeof rule === 'string' ? rule.length : 0
}

const demands = ['hashes', 'allow', 'forwardAuth'] as const

/** True where the first asks something of visitors that the other does not ask alike. */
export const asksMore = ({ effects }: Route, other: Route): boolean =>
  demands.some((key) => effects[key] !== undefined && !isDeepStrictEqual(effects[key], other.effects[key])) ||
  effects.unsafe.length > other.effects.unsafe.length

/**
 * What is asked of visitors, put together from all routes of a site. Mixed when two ask different things of one kind: one of them
 * would be more open than it was.
 */
export function guardOf(routes: readonly Route[]) {
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

/** The paths of a site, and what of its routes has no place there. */
export function pathsOf(routes: readonly Route[]) {
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

/** Members of a proxy that tries again. */
export const withRetries = (members: ProxyInput, retries: number): ProxyInput =>
  retries === 0 ? members : { ...members, lb: { ...members.lb, retries } }
