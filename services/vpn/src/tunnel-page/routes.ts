import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, ok } from '../envelope.ts'
import { TunnelPageStatus } from './schema.ts'
import type { TunnelPage } from './tunnel-page.ts'

/** The page inside the tunnel, as administrators see it. */
export function tunnelPageRoutes(tunnelPage: Pick<TunnelPage, 'status'>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/tunnel-page',
        tag: 'Settings',
        summary: 'Read where the page inside the tunnel is',
        description: 'Its addresses, and what keeps it from listening at one of them. The settings switch it on.',
        access: 'admin',
        limit: 'counted',
        success: { status: 200, body: dataEnvelope(TunnelPageStatus) },
      },
      async () => ok(await tunnelPage.status()),
    ),
  ]
}
