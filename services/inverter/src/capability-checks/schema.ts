import { z } from 'zod'
import { CapabilityDeviceParams, CapabilityName, evidence } from '../capabilities/schema.ts'

/** Capabilities that can be checked without moving the battery. */
export const CheckedCapability = CapabilityName.extract([
  'battery_power_sign_convention',
  'grid_power_sign_convention',
  'write_path_convention',
]).meta({ id: 'CheckedCapability' })
export type CheckedCapability = z.infer<typeof CheckedCapability>

/** Result of a check of a capability. Nothing is recorded by it. */
export const CapabilityCheck = z
  .object({
    name: CheckedCapability,
    outcome: z.enum(['found', 'inconclusive', 'failed']),
    steps: z.array(z.string()).meta({ description: 'What was done and read, in order' }),
    detail: z.string().meta({ description: 'What it means, and what to do' }),
    evidence: z.object(evidence).partial().meta({ description: 'Evidence that the check found' }),
    firmware: z.string().nullable(),
  })
  .meta({ id: 'CapabilityCheck' })
export type CapabilityCheck = z.infer<typeof CapabilityCheck>

/** Finding of a check, without the capability and the firmware that it is about. */
export type CheckFinding = Omit<CapabilityCheck, 'name' | 'firmware'>

export const CheckParams = CapabilityDeviceParams.extend({ name: CheckedCapability })
