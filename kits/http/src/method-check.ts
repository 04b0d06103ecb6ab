import createRouter from 'find-my-way'
import { routerPath, type Method, type Route } from './route.ts'

/** Longest parameter in a path, characters. */
export const maxParamLength = 256

/** Methods that a known path without a route for them answers with 405; others are unknown everywhere. */
const refused = new Set<string>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Creates a function that returns the methods of a request's path when its own is none of them; undefined for a path of no
 * route, and for methods that no path takes. One router of paths serves all: a route for each refused method of each path
 * would be four times as many routes.
 */
export function createMethodCheck(specs: readonly Pick<Route['spec'], 'path' | 'method'>[]) {
  const methodsOf = new Map<string, Method[]>()
  for (const spec of specs) {
    const path = routerPath(spec)
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), spec.method])
  }
  const paths = createRouter({ maxParamLength })
  for (const [path, methods] of methodsOf) paths.on('GET', path, () => undefined, methods)
  return (method: string, url: string): Method[] | undefined => {
    if (!refused.has(method)) return undefined
    const allowed = paths.find('GET', url)?.store as Method[] | undefined
    return allowed?.includes((method === 'HEAD' ? 'GET' : method) as Method) ? undefined : allowed
  }
}
