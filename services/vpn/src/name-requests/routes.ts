import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, page, pageEnvelope } from '../envelope.ts'
import type { NameRequests } from './name-requests.ts'
import {
  NameRequest,
  NameRequestAnswer,
  NameRequestCount,
  NameRequestDeleted,
  NameRequestListQuery,
  NameRequestParams,
} from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted', access: 'admin' } as const

/** Names that people ask for on the page inside the tunnel; administrators answer. */
export function nameRequestRoutes(requests: NameRequests): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/requests',
        summary: 'List requests for names',
        description: 'Names that people asked for on the page inside the tunnel: open ones first, then the newest.',
        query: NameRequestListQuery,
        success: { status: 200, body: pageEnvelope(NameRequest) },
      },
      async ({ query }) => page(await requests.list(query), query),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/request-count',
        summary: 'Count open requests for names',
        success: { status: 200, body: dataEnvelope(NameRequestCount) },
      },
      async () => ok({ open: await requests.open() }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/requests/{id}/answer',
        summary: 'Answer a request for a name',
        description:
          'Allowing makes the rule at once, for the peer, for the profile that holds for it, or for everyone; a rule that blocks the same name gives way. The person sees the answer on their page.',
        params: NameRequestParams,
        body: NameRequestAnswer,
        success: { status: 200, body: messageEnvelope(NameRequest) },
        errors: [404, 409],
      },
      async ({ params, body, caller }) => {
        const { request, message } = await requests.answer(params.id, body, caller.username)
        return done(request, message)
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/dns/requests/{id}',
        summary: 'Delete a request for a name',
        params: NameRequestParams,
        success: { status: 200, body: messageEnvelope(NameRequestDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const removed = await requests.remove(params.id)
        return done(removed, `Request for ${removed.domain} deleted`)
      },
    ),
  ]
}
