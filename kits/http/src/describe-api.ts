import { createLog } from '@hearth/runtime'
import { createAddressSet } from './address-set.ts'
import type { ApiDescription } from './openapi.ts'
import { openApiOf } from './openapi-components.ts'
import type { Route } from './route.ts'
import { createServer } from './create-server.ts'

/** Placeholder for every feature and every part of one; nothing of it can be called. */
const uncalled: object = new Proxy(() => undefined, {
  get: () => uncalled,
  apply(): never {
    throw new Error('this server only describes itself')
  },
})

/**
 * A service's OpenAPI document without the running service: the same routes, whose handlers are never called.
 *
 * @param routesOf makes the routes out of the features they call
 */
export async function describeApi(
  routesOf: (features: never) => Route[],
  about: ApiDescription,
): Promise<Record<string, unknown>> {
  const http = await createServer({
    routes: routesOf(uncalled as never),
    about,
    guard: () => Promise.resolve(undefined),
    toError: () => ({ status: 500, body: {} }),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'openapi', level: 'silent' }),
    pages: '',
  })
  const document = openApiOf(http)
  await http.close()
  return document
}
