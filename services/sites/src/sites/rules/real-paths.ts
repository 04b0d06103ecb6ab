import { realpath } from 'node:fs/promises'
import type { FieldIssue, RuleContext } from './rule-context.ts'
import type { SiteRecord } from '../schema.ts'

/** A directory or a socket that a site names, and the member that names it. */
interface NamedPath {
  readonly field: string
  readonly kind: 'directory' | 'socket'
  readonly path: string
}

/** Bounds of directories and sockets. */
type PathBounds = Pick<RuleContext, 'staticBases' | 'socketDirectories' | 'protectedAddresses'>

/** The paths a site names. */
export function pathsOfSite(record: SiteRecord): NamedPath[] {
  const ofPaths = record.paths.flatMap((target, index) => pathsOfTarget(`paths.${index}.`, target))
  return pathsOfTarget('', record).concat(ofPaths, socketOf('forward_auth.url', record.forward_auth?.url))
}

function pathsOfTarget(prefix: string, target: Pick<SiteRecord, 'static' | 'upstreams'>): NamedPath[] {
  const sockets = target.upstreams.flatMap(({ url }, index) => socketOf(`${prefix}upstreams.${index}.url`, url))
  if (target.static === null) return sockets
  return [{ field: `${prefix}static.root`, kind: 'directory', path: target.static.root }, ...sockets]
}

/** The paths in routes that raw directives were adapted to. */
export function pathsOfRoutes(value: unknown): NamedPath[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]): NamedPath[] => {
    if (typeof member !== 'string') return pathsOfRoutes(member)
    if (name === 'root') return [{ field: 'raw_directives', kind: 'directory', path: member }]
    return name === 'dial' ? socketOf('raw_directives', member) : []
  })
}

function socketOf(field: string, address: string | undefined): NamedPath[] {
  return address?.startsWith('unix/') === true ? [{ field, kind: 'socket', path: address.slice(5) }] : []
}

/**
 * Places that are links to somewhere else than sites may reach. What is not there yet is judged by the rules, by its text alone; a
 * link inside a directory is Caddy's to follow.
 */
export async function misleadingPaths(paths: readonly NamedPath[], bounds: PathBounds): Promise<FieldIssue[]> {
  if (paths.length === 0) return []
  const guarded = bounds.protectedAddresses.flatMap((address) => socketOf('', address.replace(/\|.*$/, '')))
  const [directories, sockets, closed] = await Promise.all([
    Promise.all(bounds.staticBases.map(whereabouts)),
    Promise.all(bounds.socketDirectories.map(whereabouts)),
    Promise.all(guarded.map(({ path }) => whereabouts(path))),
  ])
  const issues: FieldIssue[] = []
  for (const { field, kind, path: named } of paths) {
    const path = await realpath(named).catch(() => undefined)
    if (path === undefined) continue
    const isInside = (kind === 'directory' ? directories : sockets).some((base) => isBelow(path, base))
    if (!isInside) issues.push({ field, message: 'leads out of the directories that are allowed' })
    else if (closed.includes(path))
      issues.push({ field, message: "leads to Caddy's admin API, which must not be a site" })
  }
  return issues
}

const whereabouts = (path: string): Promise<string> => realpath(path).catch(() => path)

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base.replace(/\/$/, '')}/`)
