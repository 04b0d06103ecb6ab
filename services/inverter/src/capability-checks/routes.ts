import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { CapabilityChecks } from './capability-checks.ts'
import { CapabilityCheck, CheckParams } from './schema.ts'

/** Checks of the capabilities of a device. */
export function capabilityCheckRoutes(checks: CapabilityChecks): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/admin/api/dispatch/devices/{device_id}/capabilities/{name}/check',
        tag: 'Dispatch',
        summary: 'Check a capability without moving the battery',
        description:
          'Signs are told from readings. The write method needs write access and the approval of `power_mng_soc_target_set`, whose old value is put back. Nothing is recorded.',
        access: 'admin',
        limit: 'counted',
        params: CheckParams,
        success: { status: 200, body: CapabilityCheck },
        errors: [403, 404, 409, 502, 503, 504],
      },
      ({ params, caller }) => checks.run(params.device_id, params.name, caller.name),
    ),
  ]
}
