import { createAddressSet, createServer, openApiOf } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { about } from './about.ts'
import { toError } from './problems.ts'
import { allRoutes, type Features } from './routes.ts'

/** The API's document without a running service: the same routes, whose handlers are never called. */
export async function openapiDocument(): Promise<Record<string, unknown>> {
  const uncalled: unknown = new Proxy(() => undefined, {
    get: () => uncalled,
    apply(): never {
      throw new Error('this server only describes itself')
    },
  })
  const features = uncalled as Features
  const http = await createServer({
    routes: allRoutes(features),
    about,
    guard: () => Promise.resolve(undefined),
    toError,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'openapi', level: 'silent' }),
    pages: '',
  })
  const document = openApiOf(http)
  await http.close()
  return document
}
