import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import { GatewaySettings, SettingsView, WriteAccess, type EnvironmentFacts } from './schema.ts'
import type { SettingsStore } from './settings.ts'

interface SettingsRouteDependencies {
  readonly environment: () => EnvironmentFacts
  /** Hands back what is active before write access goes. */
  readonly setWriteAccess: (enabled: boolean) => Promise<void>
  readonly changed: () => void
  readonly securityLog: SecurityLog
}

/** Settings that administrators change at runtime. */
export function settingsRoutes(settings: SettingsStore, dependencies: SettingsRouteDependencies): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  const view = () => ({
    settings: settings.current(),
    environment: dependencies.environment(),
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
        dependencies.changed()
        return view()
      },
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/admin/api/write-access',
        summary: 'Turn write access on or off',
        description: 'Takes effect immediately. Turning it off first stops a dispatch.',
        body: WriteAccess,
        success: { status: 200, body: WriteAccess },
        errors: [409],
      },
      async ({ caller, body, client }) => {
        await dependencies.securityLog.recordAfter(dependencies.setWriteAccess(body.enabled), {
          kind: 'rights_changed',
          ...eventOrigin(caller, client),
          target: 'write access',
          detail: body.enabled ? 'on' : 'off',
        })
        dependencies.changed()
        return { enabled: settings.isWriteAccessOn() }
      },
    ),
  ]
}
