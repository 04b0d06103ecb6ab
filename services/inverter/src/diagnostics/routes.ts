import type { Route } from '@hearth/http'
import { z } from 'zod'
import { DeviceParams } from '../metrics/schema.ts'
import { route } from '../access.ts'
import type { Diagnostics } from './diagnostics.ts'
import { FrameList, FrameQuery, SlaveList, Transports, VendorObject } from './schema.ts'

const EndpointParams = z.object({ endpoint_id: z.string().max(300) })

/** The wire as programs see it (vendor routes) and as the administrator's pages do. */
export function diagnosticsRoutes(diagnostics: Diagnostics): Route[] {
  return [...vendorRoutes(diagnostics), ...adminRoutes(diagnostics)]
}

function vendorRoutes(diagnostics: Diagnostics): Route[] {
  const vendor = { method: 'GET', tag: 'Diagnostics', access: 'vendor', limit: 'counted', errors: [404] } as const
  return [
    route(
      {
        ...vendor,
        path: '/api/v1/vendor/rct/objects',
        summary: 'Objects of the protocol',
        success: { status: 200, body: z.array(VendorObject) },
      },
      () => diagnostics.objects(),
    ),
    route(
      {
        ...vendor,
        path: '/api/v1/vendor/rct/transports',
        summary: 'Counters of the connections',
        success: { status: 200, body: Transports },
      },
      () => diagnostics.transports(),
    ),
    route(
      {
        ...vendor,
        path: '/api/v1/vendor/rct/devices/{device_id}/slaves',
        summary: 'Further inverters behind a device',
        params: DeviceParams,
        success: { status: 200, body: SlaveList },
      },
      ({ params }) => diagnostics.slaves(params.device_id),
    ),
  ]
}

function adminRoutes(diagnostics: Diagnostics): Route[] {
  const admin = { method: 'GET', tag: 'Diagnostics', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...admin,
        path: '/admin/api/diagnostics/transports',
        summary: 'Counters of the connections',
        success: { status: 200, body: Transports },
      },
      () => diagnostics.transports(),
    ),
    route(
      {
        ...admin,
        path: '/admin/api/diagnostics/{endpoint_id}/frames',
        summary: 'The last frames of a connection',
        params: EndpointParams,
        query: FrameQuery,
        success: { status: 200, body: FrameList },
        errors: [404],
      },
      ({ params, query }) => diagnostics.frames(params.endpoint_id, query.limit),
    ),
    route(
      {
        ...admin,
        path: '/admin/api/diagnostics/{endpoint_id}/capture',
        summary: 'The recorded frames as a file',
        description: 'The simulator can replay it. Secrets are left out.',
        params: EndpointParams,
        success: { status: 200, media: 'application/jsonl', description: 'One frame per line' },
        errors: [404],
      },
      ({ params }) => ({
        content: diagnostics.capture(params.endpoint_id),
        fileName: `capture-${params.endpoint_id}.jsonl`,
      }),
    ),
  ]
}
