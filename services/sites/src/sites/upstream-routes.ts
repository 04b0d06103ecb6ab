import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { UpstreamCheckRequest, UpstreamChecks, type CheckUpstreams } from './check-upstreams.ts'

/** Checking upstreams before a site is saved. */
export function upstreamRoutes(check: CheckUpstreams): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/sites/check-upstreams',
        tag: 'Sites',
        access: 'admin',
        summary: 'Check whether upstreams accept connections',
        description:
          'Opens an empty connection to each address and closes it. Addresses that a site must not have are not connected to. Nothing is changed.',
        limit: '60/min',
        body: UpstreamCheckRequest,
        success: { status: 200, body: UpstreamChecks },
      },
      async ({ body }) => ({ upstreams: await check(body.urls) }),
    ),
  ]
}
