import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { DeviceParams } from '../metrics/schema.ts'
import { deviceView, type Device, type DeviceCondition } from './device.ts'
import type { Devices } from './devices.ts'
import {
  AdminDevice,
  AdminDeviceList,
  ConnectionResult,
  ConnectionTest,
  DeviceChange,
  DeviceCreate,
  DispatchDeviceChange,
  PublicDevice,
} from './schema.ts'

/** Dependencies of the device routes beside the list itself. */
interface DeviceRouteDependencies {
  readonly conditionOf: (deviceId: string) => DeviceCondition | undefined
  readonly test: (input: ConnectionTest) => Promise<ConnectionResult>
}

const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const

/** Configured inverters: the list for programs, everything else for administrators. */
export function deviceRoutes(devices: Devices, { conditionOf, test }: DeviceRouteDependencies): Route[] {
  const view = (device: Device) => deviceView(device, { all: devices.all(), condition: conditionOf(device.id) })
  const viewAll = () => devices.all().map(view)
  const list = { ...shared, method: 'GET', success: { status: 200, body: AdminDeviceList } } as const
  const read = () => ({ devices: viewAll() })
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/devices',
        tag: 'Devices',
        summary: 'Configured devices',
        access: 'read',
        limit: 'counted',
        success: { status: 200, body: z.array(PublicDevice) },
      },
      viewAll,
    ),
    route({ ...list, path: '/admin/api/devices', summary: 'Devices with address and state' }, read),
    route({ ...list, path: '/admin/api/dispatch/devices', summary: 'Devices with limits and engineering mode' }, read),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/admin/api/devices',
        summary: 'Add a device',
        body: DeviceCreate,
        success: { status: 201, body: AdminDevice },
        errors: [409],
      },
      async ({ body }) => view(await devices.add(body)),
    ),
    ...changeRoutes(devices, view),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/admin/api/connection-test',
        summary: 'Test the connection to an inverter',
        body: ConnectionTest,
        success: { status: 200, body: ConnectionResult },
        errors: [503],
      },
      ({ body }) => test(body),
    ),
  ]
}

function changeRoutes(devices: Devices, show: (device: Device) => AdminDevice): Route[] {
  const member = { ...shared, params: DeviceParams, errors: [404, 409, 502, 503, 504] } as const
  const one = { status: 200, body: AdminDevice } as const
  return [
    route(
      {
        ...member,
        method: 'PATCH',
        path: '/admin/api/devices/{device_id}',
        summary: 'Change a device',
        description:
          'A new address first stops a dispatch, and resets capabilities, engineering mode and Energy Manager.',
        body: DeviceChange,
        success: one,
      },
      async ({ params, body }) => show(await devices.change(params.device_id, body)),
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        path: '/admin/api/devices/{device_id}',
        summary: 'Remove a device',
        success: { status: 200, body: z.object({ message: z.string() }).meta({ id: 'Message' }) },
      },
      async ({ params }) => {
        await devices.remove(params.device_id)
        return { message: `Device ${params.device_id} removed` }
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        path: '/admin/api/dispatch/devices/{device_id}',
        summary: 'Set power limits and engineering mode',
        body: DispatchDeviceChange,
        success: one,
      },
      async ({ params, body }) => show(await devices.changeDispatch(params.device_id, body)),
    ),
  ]
}
