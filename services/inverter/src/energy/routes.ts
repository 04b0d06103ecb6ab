import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { CapabilityDeviceParams } from '../capabilities/schema.ts'
import type { EnergyManager } from './energy.ts'
import { Energy, EnergyCommand, EnergyDevice, EnergyDevices, EnergyModeChange } from './schema.ts'

const shared = { tag: 'Energy', limit: 'counted' } as const
const command = {
  ...shared,
  method: 'POST',
  description:
    'Charges from the grid, discharges to the load, holds the battery at 0 W, or returns the device to automatic mode. ' +
    'A command ends after one hour unless another one follows.',
  params: CapabilityDeviceParams,
  body: EnergyCommand,
  success: { status: 200, body: Energy },
  errors: [404, 409, 502, 503, 504],
} as const

/** The Energy Manager: commands by the API, and what the pages of the administrator need. */
export function energyRoutes(energy: EnergyManager): Route[] {
  const admin = { ...shared, access: 'admin' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/v1/devices/{device_id}/energy',
        summary: 'State and available actions of the Energy Manager',
        access: 'write-access',
        params: CapabilityDeviceParams,
        success: { status: 200, body: Energy },
        errors: [404, 503],
      },
      ({ params }) => energy.read(params.device_id),
    ),
    route(
      {
        ...command,
        path: '/api/v1/devices/{device_id}/energy/command',
        summary: 'Command the battery, in mode external',
        access: 'write-access',
      },
      ({ params, body, caller }) => energy.command(params.device_id, body, { caller: caller.name, via: 'api' }),
    ),
    route(
      {
        ...admin,
        method: 'GET',
        path: '/admin/api/energy/devices',
        summary: 'The Energy Manager of every device',
        success: { status: 200, body: EnergyDevices },
      },
      async () => ({ devices: await energy.devices() }),
    ),
    route(
      {
        ...admin,
        method: 'PUT',
        path: '/admin/api/energy/devices/{device_id}/mode',
        summary: 'Set the mode of the Energy Manager',
        description: 'An operation of the old mode is stopped first; if that fails the mode does not change.',
        params: CapabilityDeviceParams,
        body: EnergyModeChange,
        success: { status: 200, body: EnergyDevice },
        errors: [404, 409, 503],
      },
      ({ params, body, caller }) => energy.setMode(params.device_id, body.mode, caller.name),
    ),
    route(
      {
        ...command,
        path: '/admin/api/energy/devices/{device_id}/command',
        summary: 'Command the battery, in mode manual',
        access: 'admin',
      },
      ({ params, body, caller }) => energy.command(params.device_id, body, { caller: caller.name, via: 'admin' }),
    ),
  ]
}
