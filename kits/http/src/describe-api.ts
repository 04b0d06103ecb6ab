import type { ApiDescription } from './openapi.ts'
import type { Route } from './route.ts'

/** Placeholder for every feature and its members; nothing of it can be called. */
const uncalled: object = new Proxy(() => undefined, {
  get: () => uncalled,
  apply(): never {
    throw new Error('these routes only describe themselves')
  },
})

/**
 * Returns a function that gives a service's OpenAPI document. The document is created at the first request from the same routes
 * as the service's; their handlers are never called.
 *
 * @param routesOf makes the routes out of the features they call
 */
export function describeApi(
  routesOf: (features: never) => readonly Route[],
  about: ApiDescription,
): () => Promise<Record<string, unknown>> {
  let document: Promise<Record<string, unknown>> | undefined
  const make = async () => {
    const { openApiOf } = await import('./openapi-document.ts')
    return openApiOf(routesOf(uncalled as never), about)
  }
  return () => (document ??= make())
}
