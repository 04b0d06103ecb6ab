import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { Done } from '../accounts/schema.ts'
import { SiteIdParams } from '../traffic/schema.ts'
import type { MaintenanceWindows } from './maintenance/maintenance-windows.ts'
import { MaintenanceWindow, MaintenanceWindowValues, WindowParams } from './maintenance/schema.ts'
import { CheckResult, SiteUptimeDetail, UptimeOverview, UptimeQuery } from './schema.ts'
import type { StatusPages } from './status-page/status-pages.ts'
import type { UptimeViews } from './uptime-views.ts'

/** Functions behind the endpoints. */
export interface UptimeFeature {
  readonly views: UptimeViews
  readonly windows: MaintenanceWindows
  readonly pages: StatusPages
}

const tag = 'Uptime'
const read = { tag, method: 'GET', access: 'admin', limit: '60/min' } as const
const write = { tag, access: 'editor', limit: '30/min' } as const

/** Routes of the checks of sites and of maintenance windows. */
export function uptimeRoutes(feature: UptimeFeature): Route[] {
  return [...viewRoutes(feature), ...windowRoutes(feature)]
}

function viewRoutes({ views }: UptimeFeature): Route[] {
  return [
    route(
      {
        ...read,
        path: '/api/v1/uptime',
        summary: 'Which sites are up',
        description: 'Those that are down come first. Shares count observed time alone.',
        query: UptimeQuery,
        success: { status: 200, body: UptimeOverview },
      },
      ({ query }) => views.overview(query),
    ),
    route(
      {
        ...read,
        path: '/api/v1/sites/{id}/uptime',
        summary: 'The checks of a site, its days and its incidents',
        params: SiteIdParams,
        success: { status: 200, body: SiteUptimeDetail },
        errors: [404],
      },
      ({ params }) => views.site(params.id),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path: '/api/v1/sites/{id}/check',
        summary: 'Check a site now',
        description: 'Requests the site through Caddy as its check does. The result is shown and not counted.',
        params: SiteIdParams,
        success: { status: 200, body: CheckResult },
        errors: [404],
      },
      ({ params }) => views.checkNow(params.id),
    ),
  ]
}

function windowRoutes({ windows }: UptimeFeature): Route[] {
  const path = '/api/v1/maintenance-windows'
  const one = { ...write, path: `${path}/{id}`, params: WindowParams } as const
  return [
    route(
      {
        ...read,
        path,
        summary: 'List maintenance windows',
        success: { status: 200, body: z.array(MaintenanceWindow) },
      },
      () => windows.list(),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path,
        summary: 'Plan maintenance',
        description:
          'Sites in maintenance are not checked, nobody is notified, and the time counts neither as up nor as down.',
        body: MaintenanceWindowValues,
        success: { status: 201, body: MaintenanceWindow },
        errors: [409],
      },
      ({ body }) => windows.create(body),
    ),
    route(
      {
        ...one,
        method: 'PUT',
        summary: 'Change a maintenance window',
        body: MaintenanceWindowValues,
        success: { status: 200, body: MaintenanceWindow },
        errors: [404],
      },
      ({ params, body }) => windows.update(params.id, body),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete a maintenance window',
        success: { status: 200, body: Done },
        errors: [404],
      },
      async ({ params }) => {
        await windows.remove(params.id)
        return { success: true as const, message: 'Maintenance window deleted' }
      },
    ),
  ]
}
