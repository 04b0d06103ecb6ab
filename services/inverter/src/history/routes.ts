import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { DeviceParams } from '../metrics/schema.ts'
import type { History } from './history.ts'
import {
  DeviceHistoryStatus,
  EnergyBucket,
  EnergyExportQuery,
  EnergyHistory,
  EnergyHistoryQuery,
  HistorySettings,
  HistoryView,
} from './schema.ts'

/** The energy history: periods, files, and its settings. */
export function historyRoutes(history: History): Route[] {
  return [...readingRoutes(history), ...settingRoutes(history)]
}

function readingRoutes(history: History): Route[] {
  const shared = { method: 'GET', tag: 'Energy history', access: 'read', limit: 'counted', errors: [404] } as const
  const path = '/api/v1/devices/{device_id}/energy-history'
  const file = (format: 'csv' | 'json', texts: { summary: string; media: string; description: string }) =>
    route(
      {
        ...shared,
        path: `${path}.${format}`,
        summary: texts.summary,
        description: 'What is stored between two dates, oldest first. What is not known is left out.',
        params: DeviceParams,
        query: EnergyExportQuery,
        success: {
          status: 200,
          media: texts.media,
          description: texts.description,
          ...(format === 'json' && { schema: z.array(EnergyBucket) }),
        },
      },
      async ({ params, query, isHead }) => ({
        content: isHead ? '' : await history.export(params.device_id, format, query),
        fileName: `energy-${params.device_id}.${format}`,
      }),
    )
  return [
    route(
      {
        ...shared,
        path,
        summary: 'Energy balance of a day, month, year or of all time, and its course',
        description: 'Stretches of which nothing is known have null for every energy, never zero.',
        params: DeviceParams,
        query: EnergyHistoryQuery,
        success: { status: 200, body: EnergyHistory },
      },
      ({ params, query }) => history.read(params.device_id, query),
    ),
    file('csv', {
      summary: 'The energy history as a CSV file',
      media: 'text/csv',
      description: 'Comma-separated values with a heading',
    }),
    file('json', {
      summary: 'The energy history as a JSON file',
      media: 'application/json',
      description: 'A list of EnergyBucket',
    }),
  ]
}

function settingRoutes(history: History): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  const path = '/admin/api/energy-history'
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path,
        summary: 'Settings and state of the energy history',
        success: { status: 200, body: HistoryView },
      },
      () => history.view(),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path,
        summary: 'Replace the settings of the energy history',
        description: 'Takes effect immediately. Five minutes that are not kept any more are deleted within a day.',
        body: HistorySettings,
        success: { status: 200, body: HistoryView },
      },
      async ({ body }) => {
        await history.change(body)
        return history.view()
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: `${path}/devices/{device_id}/fill`,
        summary: 'Fill gaps from the log of an inverter, as far as it goes back',
        params: DeviceParams,
        success: { status: 200, body: DeviceHistoryStatus },
        errors: [404, 409],
      },
      ({ params }) => history.fill(params.device_id),
    ),
  ]
}
