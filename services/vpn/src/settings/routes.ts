import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import type { Publish } from '../events/publish.ts'
import { Settings, SettingsUpdate } from './schema.ts'
import type { SettingsKeeper } from './settings.ts'

/** Reading and changing the service's settings; administrators only. */
export function settingsRoutes(settings: SettingsKeeper, publish: Publish): Route[] {
  const shared = { path: '/api/settings', tag: 'Settings', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the settings',
        success: { status: 200, body: dataEnvelope(Settings) },
      },
      () => ok(settings.current()),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        summary: 'Change settings',
        description: 'Members that are left out keep their value.',
        body: SettingsUpdate,
        success: { status: 200, body: messageEnvelope(Settings) },
      },
      async ({ body }) => {
        const changed = await settings.update(body)
        publish({ type: 'changed', collection: 'settings', id: null })
        return done(changed, 'Settings saved')
      },
    ),
  ]
}
