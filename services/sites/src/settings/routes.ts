import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { SettingsChange, SettingsView, settingsView } from './schema.ts'
import type { SettingsKeeper } from './settings.ts'

/** Reading and changing the settings. */
export function settingsRoutes(settings: SettingsKeeper): Route[] {
  const shared = {
    path: '/api/v1/settings',
    tag: 'Settings',
    access: 'admin',
    success: { status: 200, body: SettingsView },
  } as const
  return [
    route({ ...shared, method: 'GET', summary: 'Read the settings', limit: '60/min' }, () =>
      settingsView(settings.current()),
    ),
    route(
      {
        ...shared,
        method: 'PATCH',
        summary: 'Change settings',
        description: 'Members that are left out stay; all of the rest are written or none.',
        limit: '10/min',
        body: SettingsChange,
      },
      async ({ body }) => settingsView(await settings.change(body)),
    ),
  ]
}
