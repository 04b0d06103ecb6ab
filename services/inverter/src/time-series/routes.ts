import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { TimeSeriesChange, TimeSeriesTest, TimeSeriesView } from './schema.ts'
import type { TimeSeries } from './time-series.ts'

/** Settings and state of the time series. */
export function timeSeriesRoutes(timeSeries: TimeSeries, changed: () => void): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  const path = '/admin/api/time-series'
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path,
        summary: 'Settings and state of the time series',
        success: { status: 200, body: TimeSeriesView },
      },
      () => timeSeries.view(),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path,
        summary: 'Replace the settings of the time series',
        description: 'Takes effect immediately. What is in the buffer goes to the server that is set then.',
        body: TimeSeriesChange,
        success: { status: 200, body: TimeSeriesView },
      },
      async ({ body }) => {
        await timeSeries.change(body)
        changed()
        return timeSeries.view()
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: `${path}/test`,
        summary: 'Test the way to a time-series database',
        description: 'With settings that need not be stored. Writes nothing.',
        body: TimeSeriesChange,
        success: { status: 200, body: TimeSeriesTest },
      },
      ({ body }) => timeSeries.test(body),
    ),
  ]
}
