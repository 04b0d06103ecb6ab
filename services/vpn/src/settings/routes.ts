import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import { PublicEndpointState, Settings, SettingsUpdate } from './schema.ts'
import type { SettingsStore } from './settings.ts'

/** Reads the host devices reach this service by; `requestHost` is the one the request was sent to. */
export type ReadPublicEndpoint = (requestHost: string) => Promise<PublicEndpointState>

/** Reading and changing the service's settings; administrators only. */
export function settingsRoutes(settings: SettingsStore, publicEndpoint: ReadPublicEndpoint, publish: Publish): Route[] {
  const shared = { path: '/api/settings', tag: 'Settings', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/public-endpoint',
        summary: 'Read the public endpoint',
        description:
          'The host in the `Endpoint` line of device configurations, from where it can be reached, and the names and addresses of this machine to choose from.',
        success: { status: 200, body: dataEnvelope(PublicEndpointState) },
      },
      async ({ client }) => ok(await publicEndpoint(client.host)),
    ),
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
