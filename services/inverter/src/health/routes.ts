import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { DeviceParams } from '../metrics/schema.ts'
import type { Health } from './health.ts'
import { DeviceEvents, DeviceHealth, DeviceHistory, EventQuery, HistoryParams } from './schema.ts'

/** Faults, battery status, events and the inverter's own history. */
export function healthRoutes(health: Health): Route[] {
  const shared = {
    method: 'GET',
    tag: 'Health',
    access: 'read',
    limit: 'counted',
    errors: [404, 502, 503, 504],
  } as const
  return [
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/health',
        summary: 'Faults and battery status',
        params: DeviceParams,
        success: { status: 200, body: DeviceHealth },
      },
      ({ params }) => health.read(params.device_id),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/events',
        summary: 'The inverter’s event table',
        params: DeviceParams,
        query: EventQuery,
        success: { status: 200, body: DeviceEvents },
      },
      ({ params, query }) => health.events(params.device_id, query.before),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/history/{metric_name}',
        summary: 'Values logged by the inverter',
        params: HistoryParams,
        query: EventQuery,
        success: { status: 200, body: DeviceHistory },
      },
      ({ params, query }) => health.history(params.device_id, params.metric_name, query.before),
    ),
  ]
}
