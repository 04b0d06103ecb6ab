import { requiredCapabilities } from '../capabilities/required.ts'
import type { Capability, CapabilityName, EvidenceField } from '../capabilities/schema.ts'
import { Problem } from '../problems.ts'
import type { DispatchDevice } from './ports.ts'
import type { DispatchMode } from './schema.ts'

/** Capabilities that a mode needs and nobody has verified. */
export function unverifiedFor(mode: DispatchMode, capabilities: readonly Capability[]): CapabilityName[] {
  return requiredCapabilities(mode).filter(
    (name) => !capabilities.some((record) => record.name === name && record.status === 'verified'),
  )
}

/** Evidence that a capability cannot be verified without and that is not recorded. */
export function missingEvidence({ name, soc_strategy_external_code: code }: Capability): EvidenceField[] {
  return name === 'write_path_convention' && code === null ? ['soc_strategy_external_code'] : []
}

/** The problem of a mode whose gate is closed: every capability that is missing, what it lacks, and where it is recorded. */
export function gateClosed(
  mode: DispatchMode,
  { device, capabilities }: { device: DispatchDevice; capabilities: readonly Capability[] },
): Problem {
  const unverified = unverifiedFor(mode, capabilities)
  const names: CapabilityName[] =
    device.engineeringMode || unverified.length === 0 ? ['write_path_convention'] : unverified
  const errors = names.map((parameter) => ({
    parameter,
    code: 'dispatch_unverified',
    detail: reasonOf(parameter, { device, capabilities }),
  }))
  const reasons = errors.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ')
  const where =
    `Record it on the page Inverters, ${device.id}, Capabilities, or with ` +
    `\`hearth inverter capability set --device ${device.id} ${names[0] ?? ''} --verified ...\``
  return new Problem('dispatch_unverified', `${mode} is not possible: ${reasons}. ${where}`, {
    errors,
    members: { missing_capabilities: names },
  })
}

function reasonOf(
  name: CapabilityName,
  { device, capabilities }: { device: DispatchDevice; capabilities: readonly Capability[] },
): string {
  const record = capabilities.find((other) => other.name === name)
  const isCodeMissing = name === 'write_path_convention' && (record === undefined || missingEvidence(record).length > 0)
  const code =
    'has no soc_strategy_external_code (the value of power_mng_soc_strategy that means external control, 2 on known firmware)'
  if (!isCodeMissing) return 'is not verified'
  return device.engineeringMode ? `${code}, which engineering mode needs too` : `is not verified and ${code}`
}

const limits = {
  charge_from_grid: ['max_charge_power_w', '--charge'],
  discharge_to_load: ['max_discharge_power_w', '--discharge'],
} as const

/** The message for a mode without the power limit it needs. */
export function limitMissing(mode: keyof typeof limits, deviceId: string): string {
  const [field, option] = limits[mode]
  return (
    `The device ${deviceId} has no power limit for ${mode}. Set ${field} on the page Inverters, ${deviceId}, Power limits, ` +
    `or with \`hearth inverter limits --device ${deviceId} ${option} WATTS\``
  )
}
