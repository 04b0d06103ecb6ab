import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { CapabilityDeviceParams } from '../capabilities/schema.ts'
import type { DispatchService } from './dispatch.ts'
import { Dispatch, DispatchPreview, DispatchRecordQuery, DispatchRequest } from './schema.ts'

const shared = {
  path: '/api/v1/devices/{device_id}/battery/dispatch',
  tag: 'Dispatch',
  access: 'write-access',
  limit: 'counted',
  params: CapabilityDeviceParams,
  success: { status: 200, body: Dispatch },
  errors: [404, 503],
} as const

/** Statuses with which a start, a replacement or a preview can fail beyond what its schemas say. */
const startErrors = [404, 409, 502, 503, 504]

/** Battery dispatch: start, replace, read and stop. */
export function dispatchRoutes(dispatch: DispatchService): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Start or replace a dispatch',
        description:
          'Saves the current settings of the device and restores them when the operation ends, at `valid_until` at the latest. ' +
          'The same command again changes nothing; another one replaces the first without a gap.',
        body: DispatchRequest,
        errors: startErrors,
      },
      ({ params, body, caller }) =>
        dispatch.submit(params.device_id, body, { caller: caller.name, origin: 'dispatch' }),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Dispatch and restore state',
      },
      ({ params }) => dispatch.read(params.device_id),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Stop a dispatch and restore the settings',
        description: 'If the device cannot be reached, the state is fault_restore_pending and the service retries.',
      },
      ({ params }) => dispatch.stop(params.device_id),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: `${shared.path}/preview`,
        summary: 'Preview a dispatch',
        description: 'Checks the same request and reads the registers; writes nothing.',
        body: DispatchRequest,
        success: { status: 200, body: DispatchPreview },
        errors: startErrors,
      },
      ({ params, body }) => dispatch.preview(params.device_id, body),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/admin/api/dispatch/devices/{device_id}/record',
        summary: 'Delete a dispatch record',
        description:
          'For a device that was restored manually. A readable record stays, unless `force` is set and its settings cannot be restored.',
        access: 'admin',
        query: DispatchRecordQuery,
        errors: [404, 409, 503],
      },
      async ({ params, query }) => {
        await dispatch.abandon(params.device_id, query.force)
        return dispatch.read(params.device_id)
      },
    ),
  ]
}
