import type { EnergyAction, EnergyDevice } from '../api.ts'

/** Who may command, for people. */
export const modes: Record<EnergyDevice['mode'], { label: string; explanation: string }> = {
  off: {
    label: 'Off',
    explanation: 'Nobody commands the battery. The inverter follows its own automatic.',
  },
  manual: {
    label: 'By hand',
    explanation: 'You command on this page. Programs are refused.',
  },
  external: {
    label: 'By programs',
    explanation: 'Programs command through the API, with a token that may write. This page watches and can stop.',
  },
}

/** The actions, for people. */
export const actions: Record<EnergyAction, { label: string; explanation: string; verb: string }> = {
  charge: { label: 'Charge', explanation: 'From the sun and the grid, up to the target', verb: 'Start charging' },
  discharge: { label: 'Discharge', explanation: 'Into the house, down to the target', verb: 'Start discharging' },
  hold: { label: 'Hold', explanation: 'The battery neither gives nor takes', verb: 'Hold the battery' },
  auto: { label: 'Automatic', explanation: 'Back to what the inverter does by itself', verb: 'Back to automatic' },
}

type Unavailable = NonNullable<EnergyDevice['actions'][number]['reason']>

/** Why an action cannot be had. */
export const unavailable: Record<Unavailable, string> = {
  mode_off: 'The mode is off',
  write_not_permitted: 'Write access is off, or a register of the battery control is not approved',
  limits_missing: 'The power limit is not set',
  hardware_not_verified: 'Not all that this needs is verified on this inverter',
  restore_required: 'The previous settings are being put back first',
}

type StopReason = EnergyDevice['stops'][number]['reason']

/** Why something ended. */
export const stopReasons: Record<StopReason, string> = {
  target_reached: 'The target was reached',
  time_limit_reached: 'Its time was over',
  telemetry_unavailable: 'The inverter gave no fresh values',
  stopped_by_operator: 'It was stopped',
  device_state_unreadable: 'The present settings could not be read',
  write_not_permitted: 'Writing was no longer allowed',
  device_error: 'The inverter did not take a value',
  service_unavailable: 'The record could not be stored',
  service_shutdown: 'The service was stopped',
  device_changed: 'The inverter was removed or has another address',
}

/** What goes on, for people. */
export const states: Record<EnergyDevice['state'], string> = {
  automatic: 'Automatic',
  starting: 'Starting',
  charging: 'Charging',
  discharging: 'Discharging',
  holding: 'Holding',
  stopping: 'Stopping',
  fault: 'Putting settings back',
}

/** True while something is commanded or being ended. */
export function isBusy({ state }: Pick<EnergyDevice, 'state'>): boolean {
  return state !== 'automatic'
}

/** One thing that has to be so before the battery can be commanded. */
export interface Requirement {
  isMet: boolean
  text: string
  /** Where it is made so. */
  href: string
}

/** What stands between this device and a command, met or not. */
export function requirementsOf(device: EnergyDevice): Requirement[] {
  const own = `/inverters/${encodeURIComponent(device.device_id)}`
  const gates = Object.values(device.gates)
  const missing = device.required_names.filter((name) => !device.approved_names.includes(name))
  return [
    { isMet: device.write_support_enabled, text: 'Write access is on', href: '/inverters' },
    {
      isMet: device.max_charge_power_w !== null && device.max_discharge_power_w !== null,
      text: 'Power limits are set',
      href: own,
    },
    {
      isMet: gates.some((gate) => gate !== 'closed'),
      text: gates.includes('engineering')
        ? 'Engineering mode lets commands through'
        : 'Its ways are verified, or engineering mode is on',
      href: own,
    },
    // Choosing a mode approves them; missing ones were taken away afterwards.
    ...(device.mode === 'off' || missing.length === 0
      ? []
      : [
          {
            isMet: false,
            text: `Approved for writing: ${missing.join(', ')}`,
            href: '/inverters?tab=metrics&q=power_mng&view=writable',
          },
        ]),
  ]
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
