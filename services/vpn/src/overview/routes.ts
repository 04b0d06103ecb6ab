import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, ok } from '../envelope.ts'
import { Dashboard } from './schema.ts'

/** The dashboard's figures. */
export function overviewRoutes(read: () => Promise<Dashboard>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/metrics/dashboard',
        tag: 'Metrics',
        summary: 'The service at a glance',
        access: 'signed-in',
        limit: 'counted',
        success: { status: 200, body: dataEnvelope(Dashboard) },
      },
      async () => ok(await read()),
    ),
  ]
}
