import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Capabilities } from './capabilities.ts'
import {
  Capability,
  CapabilityCopied,
  CapabilityCopy,
  CapabilityDeviceParams,
  CapabilityParams,
  CapabilityUpdate,
  DeviceCapabilities,
} from './schema.ts'

const shared = { tag: 'Dispatch', access: 'admin', limit: 'counted' } as const
const base = '/admin/api/dispatch/devices/{device_id}/capabilities'

/** Capabilities of a device, recorded by administrators. */
export function capabilityRoutes(capabilities: Capabilities): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: base,
        summary: 'Capabilities of a device',
        params: CapabilityDeviceParams,
        success: { status: 200, body: DeviceCapabilities },
        errors: [404],
      },
      async ({ params }) => ({
        device_id: params.device_id,
        capabilities: await capabilities.list(params.device_id),
      }),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: `${base}/{name}`,
        summary: 'Record a capability',
        description: 'Replaces the whole record. Evidence that is left out is reset to its default.',
        params: CapabilityParams,
        body: CapabilityUpdate,
        success: { status: 200, body: Capability },
        errors: [400, 404, 409, 503],
      },
      ({ params, body, caller }) =>
        capabilities.replace(params.device_id, { name: params.name, update: body, by: caller.name }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: `${base}:copy-from`,
        summary: 'Copy capabilities from a device of the same model and firmware',
        description: 'Only those whose evidence is of the given model and firmware are copied.',
        params: CapabilityDeviceParams,
        body: CapabilityCopy,
        success: { status: 200, body: CapabilityCopied },
        errors: [404, 409, 503],
      },
      ({ params, body, caller }) => capabilities.copyFrom(params.device_id, { ...body, by: caller.name }),
    ),
  ]
}
