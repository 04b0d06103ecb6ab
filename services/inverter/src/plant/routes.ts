import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Plant } from './plant.ts'
import { PlantNow, PlantSettings, PlantSettingsView } from './schema.ts'

/** The plant: what its inverters do together, and which ones they are. */
export function plantRoutes(plant: Plant): Route[] {
  const shared = { tag: 'Administration', path: '/admin/api/plant', access: 'admin', limit: 'counted' } as const
  const view = () => ({ settings: plant.settings() })
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/plant',
        tag: 'Plant',
        summary: 'What the inverters of the plant do together now',
        description:
          'A sum is null while an inverter does not answer. History and plan are those of the device `@plant`.',
        access: 'read',
        limit: 'counted',
        success: { status: 200, body: PlantNow },
        errors: [409],
      },
      () => plant.now(),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Inverters of the plant',
        success: { status: 200, body: PlantSettingsView },
      },
      view,
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        summary: 'Replace the inverters of the plant',
        description: 'Takes effect immediately. The history of the plant is added up again in the background.',
        body: PlantSettings,
        success: { status: 200, body: PlantSettingsView },
      },
      async ({ body }) => {
        await plant.change(body)
        return view()
      },
    ),
  ]
}
