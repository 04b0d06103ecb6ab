import type { PathRoute } from '../sites/schema.ts'
import { requestHeaderRoutes, responseHeaderHandlers } from './headers.ts'
import type { ProxyContext } from './proxy-handler.ts'
import { targetRoutes } from './target-routes.ts'

/**
 * Routes for the paths of a site and, last, for all other paths. The longest path is tried first, an exact one before a prefix of
 * the same length; one of them answers and no other.
 */
export function pathRoutes(paths: readonly PathRoute[], rest: readonly object[], context: ProxyContext): object[] {
  if (paths.length === 0) return [...rest]
  const group = 'paths'
  return [
    ...sortPaths(paths).map((path) => ({
      group,
      match: [{ path: patternsOf(path) }],
      handle: [{ handler: 'subroute', routes: onPath(path, context) }],
    })),
    { group, handle: [{ handler: 'subroute', routes: [...rest] }] },
  ]
}

/** Returns the paths in the order in which they are tried. */
export function sortPaths(paths: readonly PathRoute[]): PathRoute[] {
  const rank = ({ match }: PathRoute) => (match === 'exact' ? 0 : 1)
  return [...paths].sort((one, other) => trimmed(other).length - trimmed(one).length || rank(one) - rank(other))
}

/** The patterns of Caddy's path matcher for a path. A prefix ends at a slash: `/api` is no prefix of `/apis`. */
export function patternsOf(path: PathRoute): string[] {
  if (path.match === 'exact') return [path.path]
  const prefix = trimmed(path)
  return prefix === '' ? ['/*'] : [prefix, `${prefix}/*`]
}

function trimmed({ match, path }: PathRoute): string {
  return match === 'exact' ? path : path.replace(/\/+$/, '')
}

function onPath(path: PathRoute, context: ProxyContext): object[] {
  const response = responseHeaderHandlers(path.response_headers)
  const prefix = trimmed(path)
  return [
    ...(response.length > 0 ? [{ handle: response }] : []),
    ...requestHeaderRoutes(path.request_headers),
    ...(path.strip && prefix !== '' ? [{ handle: [{ handler: 'rewrite', strip_path_prefix: prefix }] }] : []),
    ...targetRoutes(path, context),
  ]
}
