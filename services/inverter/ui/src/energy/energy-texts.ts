import type { EnergyAction, EnergyDevice } from '../api.ts'
import { capabilityPlans } from '../capabilities/capability-texts.ts'

/** Texts of the battery control modes. */
export const modes: Record<EnergyDevice['mode'], { label: string; explanation: string }> = {
  off: { label: 'Off', explanation: 'The inverter runs in automatic mode.' },
  manual: { label: 'Manual', explanation: 'Control the battery on this page. API commands are refused.' },
  external: {
    label: 'External',
    explanation: 'API clients control the battery with a read/write token. This page shows the state and can stop it.',
  },
}

/** Texts of the actions. */
export const actions: Record<EnergyAction, { label: string; explanation: string; verb: string }> = {
  charge: { label: 'Charge', explanation: 'From solar and grid, up to the target', verb: 'Start charging' },
  discharge: { label: 'Discharge', explanation: 'Into the house, down to the target', verb: 'Start discharging' },
  hold: { label: 'Hold', explanation: 'No charge, no discharge', verb: 'Hold battery' },
  auto: { label: 'Automatic', explanation: 'The inverter decides', verb: 'Return to automatic' },
}

type Unavailable = NonNullable<EnergyDevice['actions'][number]['reason']>

/** Reasons why an action is unavailable. */
export const unavailable: Record<Unavailable, string> = {
  mode_off: 'Battery control is off',
  write_not_permitted: 'Write access is off, or a battery control register is not approved',
  limits_missing: 'No power limit is set',
  hardware_not_verified: 'A required capability is not verified on this inverter',
  restore_required: 'The previous settings are being restored',
}

type StopReason = EnergyDevice['stops'][number]['reason']

/** Reasons why an operation ended. */
export const stopReasons: Record<StopReason, string> = {
  target_reached: 'Target reached',
  time_limit_reached: 'Time limit reached',
  telemetry_unavailable: 'No fresh values from the inverter',
  stopped_by_operator: 'Stopped manually',
  device_state_unreadable: 'Current settings could not be read',
  write_not_permitted: 'Write permission removed',
  device_error: 'The inverter did not accept a value',
  service_unavailable: 'State could not be saved',
  service_shutdown: 'Service stopped',
  device_changed: 'Inverter, plant or grid limit changed',
}

/** Labels of the states. */
export const states: Record<EnergyDevice['state'], string> = {
  automatic: 'Automatic',
  starting: 'Starting',
  charging: 'Charging',
  discharging: 'Discharging',
  holding: 'Holding',
  stopping: 'Stopping',
  fault: 'Restoring settings',
}

/** True while something is commanded or being ended. */
export function isBusy({ state }: Pick<EnergyDevice, 'state'>): boolean {
  return state !== 'automatic'
}

/** An action that changes what the battery does. */
type Command = Exclude<EnergyAction, 'auto'>

/** One condition of a command. */
export interface Requirement {
  isMet: boolean
  text: string
  /** The page on which it is met. */
  href: string
  /** The actions that need it. */
  actions: readonly Command[]
}

const all: readonly Command[] = ['charge', 'discharge', 'hold']

/** The conditions of a command on this device, met or not. */
export function requirementsOf(device: EnergyDevice): Requirement[] {
  const own = `/inverters/${encodeURIComponent(device.device_id)}`
  const missing = device.required_names.filter((name) => !device.approved_names.includes(name))
  return [
    { isMet: device.write_support_enabled, text: 'Write access is on', href: '/inverters', actions: all },
    { isMet: device.max_charge_power_w !== null, text: 'Charge limit is set', href: own, actions: ['charge'] },
    { isMet: device.max_discharge_power_w !== null, text: 'Discharge limit is set', href: own, actions: ['discharge'] },
    ...capabilityRequirements(device, own),
    // Choosing a mode approves them; missing ones were taken away afterwards.
    ...(device.mode === 'off' || missing.length === 0
      ? []
      : [
          {
            isMet: false,
            text: `Approved for writing: ${missing.join(', ')}`,
            href: '/inverters?tab=metrics&q=power_mng&view=writable',
            actions: all,
          },
        ]),
  ]
}

const needsOf = ({ grid_limit_w: gridLimit }: EnergyDevice): readonly [CapabilityName, readonly Command[]][] => [
  ['write_path_convention', all],
  ['battery_power_sign_convention', all],
  // A charge below a limit follows the power of the grid connection.
  ['grid_power_sign_convention', gridLimit === null ? ['discharge'] : ['charge', 'discharge']],
]

type CapabilityName = EnergyDevice['capabilities'][number]['name']

/** Engineering mode replaces a verification, but not the code of external control. */
function capabilityRequirements(device: EnergyDevice, own: string): Requirement[] {
  return needsOf(device).flatMap(([name, actions]): Requirement[] => {
    const record = device.capabilities.find((capability) => capability.name === name)
    const lacks = capabilityPlans[name].questions
      .filter(({ field }) => record?.missing_evidence.includes(field) === true)
      .map(({ label }) => `“${label}”`)
    const isVerified = record?.status === 'verified'
    if (device.engineering_mode && !isVerified && lacks.length === 0) return []
    const what = device.engineering_mode && !isVerified ? 'is recorded' : 'is verified'
    return [
      {
        isMet: isVerified,
        text: `${capabilityPlans[name].title} ${what}${lacks.length === 0 ? '' : `; ${lacks.join(', ')} is missing`}`,
        href: `${own}?capability=${name}`,
        actions,
      },
    ]
  })
}

/** The conditions of an action that are not met. */
export function unmetFor(action: EnergyAction, device: EnergyDevice): Requirement[] {
  return requirementsOf(device).filter(
    ({ isMet, actions }) => !isMet && (actions as readonly EnergyAction[]).includes(action),
  )
}

/** Power slider and field begin here: the limit of the device for this action. */
export function limitFor(action: EnergyAction, device: EnergyDevice): number | null {
  return action === 'discharge' ? device.max_discharge_power_w : device.max_charge_power_w
}

/** The request for a preview of what a command would do. */
export function toPreviewRequest(
  command: { action: 'charge' | 'discharge' | 'hold'; target: number; power: number },
  now: Date,
) {
  const mode = ({ charge: 'charge_from_grid', discharge: 'discharge_to_load', hold: 'hold' } as const)[command.action]
  const valid_until = new Date(now.getTime() + 3_600_000).toISOString()
  if (command.action === 'hold') return { mode, valid_until }
  return { mode, valid_until, target_soc_percent: command.target, max_power_w: command.power }
}
