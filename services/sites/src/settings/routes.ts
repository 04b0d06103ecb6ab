import type { Route } from '@hearth/http'
import { isRecent, reauthenticationRequired, route } from '../access.ts'
import { SettingsChange, SettingsView, settingsView } from './schema.ts'
import type { SettingsStore } from './settings.ts'

/**
 * Reading and changing the settings.
 *
 * @param now milliseconds since the epoch
 */
export function settingsRoutes(settings: SettingsStore, now: () => number): Route[] {
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
        description:
          'Members that are left out stay; all of the rest are written or none. To allow raw directives, confirm who you are first.',
        limit: '10/min',
        body: SettingsChange,
      },
      async ({ caller, body }) => {
        const isAllowingRaw = body.allow_raw === true && !settings.current().allow_raw
        if (isAllowingRaw && !isRecent(caller, now())) throw reauthenticationRequired()
        return settingsView(await settings.change(body))
      },
    ),
  ]
}
