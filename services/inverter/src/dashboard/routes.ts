import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { LayoutStore } from './layout.ts'
import { DashboardLayout, LayoutAnswer } from './schema.ts'

/** The saved arrangement of the dashboard. */
export function dashboardRoutes(layout: LayoutStore): Route[] {
  const shared = {
    tag: 'Administration',
    path: '/admin/api/dashboard-layout',
    access: 'admin',
    limit: 'counted',
    success: { status: 200, body: LayoutAnswer },
  } as const
  return [
    route({ ...shared, method: 'GET', summary: 'Dashboard layout' }, async () => ({
      layout: await layout.read(),
    })),
    route(
      { ...shared, method: 'PUT', summary: 'Save the dashboard layout', body: DashboardLayout },
      async ({ body }) => {
        await layout.save(body)
        return { layout: body }
      },
    ),
    route({ ...shared, method: 'DELETE', summary: 'Reset the dashboard layout' }, async () => {
      await layout.reset()
      return { layout: null }
    }),
  ]
}
