import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { PageCookies } from '../accounts/routes.ts'
import type { ChangeSettings } from './change-settings.ts'
import { Settings, SettingsAnswer, SettingsChange } from './schema.ts'
import type { SettingsKeeper } from './settings.ts'

const SettingsView = Settings.extend({
  has_credentials: z.boolean().meta({ description: 'Whether an account was set up' }),
}).meta({ id: 'SettingsView' })

/** Reading and changing the settings. Secrets are never read. */
export function settingsRoutes(settings: SettingsKeeper, change: ChangeSettings, cookies: PageCookies): Route[] {
  const shared = { path: '/api/settings', tag: 'Settings', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the settings',
        limit: '60',
        success: { status: 200, body: SettingsView },
      },
      () => ({
        ...settings.current(),
        has_credentials: settings.internal('admin_password_hash') !== undefined,
      }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Change settings',
        description: 'Keys that are not known are ignored; all of the rest are written or none.',
        limit: '5',
        body: SettingsChange,
        success: { status: 200, body: SettingsAnswer },
      },
      async ({ body, answer, client }) => {
        const result = await change(body)
        if (result.redirect !== undefined) cookies.endSession({ answer, client })
        return result
      },
    ),
  ]
}
