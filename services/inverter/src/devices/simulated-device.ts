import { join } from 'node:path'
import type { Timers } from '@hearth/runtime'
import type { Capabilities } from '../capabilities/capabilities.ts'
import type { CapabilityName, CapabilityUpdate } from '../capabilities/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { simulatedFirmware } from '../simulator/register-file.ts'
import { startSimulator, type Simulator } from '../simulator/simulator.ts'
import { DeviceCreate } from './schema.ts'

/** The device that is configured for a trial without an inverter. */
export const simulatedDevice = DeviceCreate.parse({
  device_id: 'simulated',
  display_name: 'Simulated inverter',
  host: 'simulated',
  request_gap_ms: 20,
})

const verified = {
  status: 'verified',
  verified_device_model: 'Simulated inverter',
  verified_firmware: simulatedFirmware,
  note: 'Known from the source of the simulation',
} as const

/** Capabilities of the simulated inverter. */
const facts: readonly (readonly [CapabilityName, Partial<CapabilityUpdate>])[] = [
  ['battery_power_sign_convention', { battery_discharge_positive: true }],
  ['grid_power_sign_convention', { grid_import_positive: true }],
  [
    'write_path_convention',
    {
      soc_strategy_external_code: 2,
      soc_target_unit: 'ratio',
      enum_byte_width: 1,
      bool_byte_width: 1,
      write_frame_layout_verified: true,
      apply_sequence_verified: true,
    },
  ],
  ['setpoint_volatility', { volatile: false }],
]

/** Records the capabilities of a simulated inverter as verified, unless something was recorded about it before. */
export async function verifySimulated(deviceId: string, capabilities: Capabilities): Promise<void> {
  if (await capabilities.isRecorded(deviceId)) return
  for (const [name, evidence] of facts)
    await capabilities.replace(deviceId, { name, update: { ...verified, ...evidence }, by: 'simulation' })
}

const host = '127.0.0.1'

/**
 * Creates the simulated inverter inside the service; it starts on a free loopback port when `endpoint` is first called, and
 * keeps its registers in the data directory.
 */
export function createEmbeddedSimulator(dataDirectory: string, context: { catalog: Catalog; timers: Timers }) {
  const stateFile = join(dataDirectory, 'simulated-inverter.json')
  let running: Promise<Simulator> | undefined
  return {
    async endpoint(): Promise<{ host: string; port: number }> {
      running ??= startSimulator({ ...context, host, port: 0, stateFile })
      return { host, port: (await running).port }
    },
    async close(): Promise<void> {
      await (await running)?.close()
    },
  }
}
