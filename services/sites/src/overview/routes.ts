import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Overview } from './overview.ts'
import { CaddyRunning, DashboardMetrics } from './schema.ts'

/** Figures for everybody who is signed in. */
export function overviewRoutes(overview: Overview): Route[] {
  const shared = { method: 'GET', tag: 'Overview', access: 'signed-in' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/v1/dashboard/metrics',
        summary: 'The figures of the first page',
        description: 'What is wrong with a server is told to administrators alone.',
        limit: '10/min',
        success: { status: 200, body: DashboardMetrics },
      },
      ({ caller }) => overview.metrics(caller.role),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/caddy/status',
        summary: 'Whether Caddy runs',
        limit: '30/min',
        success: { status: 200, body: CaddyRunning },
      },
      () => overview.caddy(),
    ),
  ]
}
