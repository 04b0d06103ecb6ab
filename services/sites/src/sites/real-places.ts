import { realpath } from 'node:fs/promises'
import type { FieldIssue } from './rule-context.ts'
import type { SiteRecord } from './schema.ts'

/** A directory or a socket that a site names, and the member that names it. */
export interface NamedPlace {
  readonly field: string
  readonly kind: 'directory' | 'socket'
  readonly path: string
}

/** Bounds of directories and sockets. */
export interface PlaceBounds {
  readonly staticBases: readonly string[]
  readonly socketDirectories: readonly string[]
  /** Addresses of Caddy's admin API and this service; see `RuleContext`. */
  readonly protectedAddresses: readonly string[]
}

/** The places a site names. */
export function placesOfSite(record: SiteRecord): NamedPlace[] {
  const ofPaths = record.paths.flatMap((target, index) => placesOfTarget(`paths.${index}.`, target))
  return placesOfTarget('', record).concat(ofPaths, socketOf('forward_auth.url', record.forward_auth?.url))
}

function placesOfTarget(prefix: string, target: Pick<SiteRecord, 'static' | 'upstreams'>): NamedPlace[] {
  const sockets = target.upstreams.flatMap(({ url }, index) => socketOf(`${prefix}upstreams.${index}.url`, url))
  if (target.static === null) return sockets
  return [{ field: `${prefix}static.root`, kind: 'directory', path: target.static.root }, ...sockets]
}

/** The places in routes that raw directives were adapted to. */
export function placesOfRoutes(value: unknown): NamedPlace[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]): NamedPlace[] => {
    if (typeof member !== 'string') return placesOfRoutes(member)
    if (name === 'root') return [{ field: 'raw_directives', kind: 'directory', path: member }]
    return name === 'dial' ? socketOf('raw_directives', member) : []
  })
}

function socketOf(field: string, address: string | undefined): NamedPlace[] {
  return address?.startsWith('unix/') === true ? [{ field, kind: 'socket', path: address.slice(5) }] : []
}

/**
 * Places that are links to somewhere else than sites may reach. What is not there yet is judged by the rules, by its text alone; a
 * link inside a directory is Caddy's to follow.
 */
export async function misleadingPlaces(places: readonly NamedPlace[], bounds: PlaceBounds): Promise<FieldIssue[]> {
  if (places.length === 0) return []
  const guarded = bounds.protectedAddresses.flatMap((address) => socketOf('', address.replace(/\|.*$/, '')))
  const [directories, sockets, closed] = await Promise.all([
    Promise.all(bounds.staticBases.map(whereabouts)),
    Promise.all(bounds.socketDirectories.map(whereabouts)),
    Promise.all(guarded.map(({ path }) => whereabouts(path))),
  ])
  const issues: FieldIssue[] = []
  for (const { field, kind, path } of places) {
    const place = await realpath(path).catch(() => undefined)
    if (place === undefined) continue
    const isInside = (kind === 'directory' ? directories : sockets).some((base) => isBelow(place, base))
    if (!isInside) issues.push({ field, message: 'leads out of the directories that are allowed' })
    else if (closed.includes(place))
      issues.push({ field, message: "leads to Caddy's admin API, which must not be a site" })
  }
  return issues
}

const whereabouts = (path: string): Promise<string> => realpath(path).catch(() => path)

const isBelow = (place: string, base: string): boolean =>
  place === base || place.startsWith(`${base.replace(/\/$/, '')}/`)
