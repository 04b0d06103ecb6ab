import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Exposition } from './exposition.ts'

/** The scraper's endpoint. It never queries a device. */
export function prometheusRoutes(exposition: Exposition): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/metrics',
        tag: 'General',
        summary: 'Prometheus metrics',
        description: 'Prometheus text format 0.0.4. Values that expired are left out.',
        access: 'scrape',
        limit: 'scrape',
        success: { status: 200, media: 'text/plain', description: 'Prometheus text format' },
      },
      async ({ answer }) => {
        answer.header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        return { content: await exposition.text() }
      },
    ),
  ]
}
