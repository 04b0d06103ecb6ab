import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { GatewaySettings, SettingsView, WriteAccess, type EnvironmentFacts } from './schema.ts'
import type { SettingsKeeper } from './settings.ts'

export interface SettingsSurroundings {
  readonly environment: () => EnvironmentFacts
  /** Hands back what is active before write access goes. */
  readonly setWriteAccess: (enabled: boolean) => Promise<void>
  readonly changed: () => void
}

/** What an administrator changes while the service runs. */
export function settingsRoutes(settings: SettingsKeeper, around: SettingsSurroundings): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  const view = () => ({
    settings: settings.current(),
    environment: around.environment(),
    write_access: settings.isWriteAccessOn(),
  })
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/admin/api/settings',
        summary: 'Settings',
        success: { status: 200, body: SettingsView },
      },
      view,
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/admin/api/settings',
        summary: 'Replace the settings',
        body: GatewaySettings,
        success: { status: 200, body: SettingsView },
      },
      async ({ body }) => {
        await settings.change(body)
        around.changed()
        return view()
      },
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/admin/api/write-access',
        summary: 'Switch write access on or off',
        description: 'Takes effect at once. Switching it off first hands back what a dispatch changed.',
        body: WriteAccess,
        success: { status: 200, body: WriteAccess },
        errors: [409],
      },
      async ({ body }) => {
        await around.setWriteAccess(body.enabled)
        around.changed()
        return { enabled: settings.isWriteAccessOn() }
      },
    ),
  ]
}
