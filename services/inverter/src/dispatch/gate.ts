import type { Capability, CapabilityName, EvidenceField } from '../capabilities/schema.ts'
import type { Device } from '../devices/device.ts'
import { Problem } from '../problems.ts'
import { needsGrid } from './grid-connection.ts'
import { conventionsOf } from './plan.ts'
import type { DispatchMode } from './schema.ts'

/** A configured device, as dispatch needs it. */
export type DispatchDevice = Pick<Device, 'id' | 'maxChargePowerW' | 'maxDischargePowerW' | 'engineeringMode'>

/** A device and its capabilities. */
interface GateInput {
  readonly device: DispatchDevice
  readonly capabilities: readonly Capability[]
  /** Limit of the grid connection, watts; null for none. */
  readonly limitW: number | null
  /** The inverter whose sensor sees the grid connection; the device itself by default. */
  readonly meterId?: string
}

/** The gate of a mode; undefined while it is closed. It never opens without the code of the external strategy. */
export function openGate(mode: DispatchMode, { device, capabilities, limitW }: GateInput) {
  const conventions = conventionsOf(capabilities)
  if (conventions === undefined) return undefined
  if (unverifiedFor(mode, { capabilities, limitW }).length === 0) return { openedBy: 'verified', conventions } as const
  return device.engineeringMode ? ({ openedBy: 'engineering', conventions } as const) : undefined
}

/** As `openGate`, but throws `dispatch_unverified` while it is closed. */
export function gateOf(mode: DispatchMode, input: GateInput) {
  const gate = openGate(mode, input)
  if (gate !== undefined) return gate
  throw gateClosed(mode, input)
}

const always = ['write_path_convention', 'battery_power_sign_convention'] as const

/**
 * Capabilities that must be verified for a mode. `hold` needs the battery sign because its end writes a signed setpoint back; load
 * following and a charge below a limit read the grid meter.
 */
export function requiredCapabilities(mode: DispatchMode, limitW: number | null): readonly CapabilityName[] {
  return needsGrid(mode, limitW) ? [...always, 'grid_power_sign_convention'] : always
}

/** Returns true if a change of these capabilities affects a running operation of the mode. Volatility affects every mode. */
export function isAffected(mode: DispatchMode, changed: readonly CapabilityName[], limitW: number | null): boolean {
  const used = new Set<CapabilityName>([...requiredCapabilities(mode, limitW), 'setpoint_volatility'])
  return changed.some((name) => used.has(name))
}

/** Capabilities that a mode needs and that are not verified. */
function unverifiedFor(
  mode: DispatchMode,
  { capabilities, limitW }: Pick<GateInput, 'capabilities' | 'limitW'>,
): CapabilityName[] {
  return requiredCapabilities(mode, limitW).filter(
    (name) => !capabilities.some((record) => record.name === name && record.status === 'verified'),
  )
}

/** Evidence that a capability cannot be verified without and that is not recorded. */
export function missingEvidence({ name, soc_strategy_external_code: code }: Capability): EvidenceField[] {
  return name === 'write_path_convention' && code === null ? ['soc_strategy_external_code'] : []
}

/** The problem of a mode whose gate is closed: every capability that is missing, what it lacks, and where it is recorded. */
function gateClosed(mode: DispatchMode, input: GateInput): Problem {
  const { device, meterId } = input
  const unverified = unverifiedFor(mode, input)
  const names: CapabilityName[] =
    device.engineeringMode || unverified.length === 0 ? ['write_path_convention'] : unverified
  const errors = names.map((parameter) => ({
    parameter,
    code: 'dispatch_unverified',
    detail: reasonOf(parameter, input),
  }))
  const reasons = errors.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ')
  // The sign of the grid power is that of the inverter that measures it.
  const where = names[0] === 'grid_power_sign_convention' ? (meterId ?? device.id) : device.id
  const how =
    `Record it on the page Inverters, ${where}, Capabilities, or with ` +
    `\`hearth inverter capability set --device ${where} ${names[0] ?? ''} --verified ...\``
  return new Problem('dispatch_unverified', `${mode} is not possible: ${reasons}. ${how}`, {
    errors,
    members: { missing_capabilities: names },
  })
}

function reasonOf(name: CapabilityName, { device, capabilities }: Pick<GateInput, 'device' | 'capabilities'>): string {
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
