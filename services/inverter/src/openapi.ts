import { createAddressSet, createServer, openApiOf } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { about } from './about.ts'
import { toError } from './problems.ts'
import { allRoutes } from './routes.ts'

/** Stands for every feature and every part of one; nothing of it can be called. */
const uncalled: object = new Proxy(() => undefined, {
  get: () => uncalled,
  apply: () => {
    throw new Error('this server only describes itself')
  },
})

/** The API's document without a running service: the same routes, whose handlers are never called. */
export async function openapiDocument(): Promise<Record<string, unknown>> {
  const http = await createServer({
    routes: allRoutes(uncalled as never),
    about,
    guard: () => Promise.resolve(undefined),
    toError: (error, request) => toError(error, { instance: request.url, correlationId: request.id }),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'openapi', level: 'silent' }),
    pages: '',
  })
  const document = openApiOf(http)
  await http.close()
  return document
}
