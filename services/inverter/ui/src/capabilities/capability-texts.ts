import type { Capability } from '../api.ts'

/** One question of evidence as the page shows it. */
export interface Question {
  field: Exclude<keyof Capability, 'name' | 'status' | `verified_${string}` | 'note'>
  label: string
  help: string
  /** Bounds of an answer that is a number. */
  range?: readonly [min: number, max: number]
  /** Labels of the answers by their text in the form; yes and no when left out. */
  choices?: Readonly<Record<string, string>>
}

/** Texts of a capability: its meaning, the commands that need it, and its questions. */
interface CapabilityPlan {
  title: string
  meaning: string
  needs: string
  questions: readonly Question[]
}

/** Every capability in words. */
export const capabilityPlans: Record<Capability['name'], CapabilityPlan> = {
  battery_power_sign_convention: {
    title: 'Battery power sign',
    meaning: 'The sign of the battery power while the battery discharges.',
    needs: 'Charge, discharge and hold',
    questions: [
      {
        field: 'battery_discharge_positive',
        label: 'Discharging is positive',
        help: 'Check the battery power while the battery supplies the house',
      },
    ],
  },
  grid_power_sign_convention: {
    title: 'Grid power sign',
    meaning: 'The sign of the grid power while the house imports from the grid.',
    needs: 'Discharge, and charge below a grid limit',
    questions: [
      {
        field: 'grid_import_positive',
        label: 'Import is positive',
        help: 'Turn on an oven at night and check the grid power',
      },
    ],
  },
  write_path_convention: {
    title: 'Write method',
    meaning: 'How the battery control registers must be written for this firmware.',
    needs: 'Charge, discharge and hold',
    questions: [
      {
        field: 'soc_strategy_external_code',
        label: 'External control code',
        help: 'Value of power_mng_soc_strategy that enables external control; 2 on known firmware',
        range: [0, 255],
      },
      {
        field: 'soc_target_unit',
        label: 'Target unit',
        help: 'Read power_mng_soc_target_set: 0.5 is a ratio, 50 is percent',
        choices: { ratio: 'Ratio (0 to 1)', percent: 'Percent' },
      },
      {
        field: 'enum_byte_width',
        label: 'Enum width (bytes)',
        help: 'As the device answers, 1 to 4',
        range: [1, 4],
      },
      {
        field: 'bool_byte_width',
        label: 'Boolean width (bytes)',
        help: 'As the device answers, 1 to 4',
        range: [1, 4],
      },
      {
        field: 'write_frame_layout_verified',
        label: 'Writes are accepted',
        help: 'A written register reads back the value that was sent',
      },
      {
        field: 'apply_sequence_verified',
        label: 'Write sequence works',
        help: 'The battery followed a command and returned to automatic mode',
      },
      {
        field: 'sequence_order_relevant',
        label: 'Write order matters',
        help: 'A different register order had a different effect',
      },
    ],
  },
  export_limit_convention: {
    title: 'Export limit',
    meaning: 'The effect of an export limit of 0 W.',
    needs: 'Nothing yet',
    questions: [
      {
        field: 'export_limit_zero_blocks_export',
        label: '0 W blocks all export',
        help: 'Check the meter with the limit at 0 W in sunshine',
      },
    ],
  },
  setpoint_volatility: {
    title: 'Setpoint retention',
    meaning: 'If the inverter drops a setpoint unless it is sent again.',
    needs: 'Nothing; the setpoint is repeated if needed',
    questions: [
      {
        field: 'volatile',
        label: 'Setpoint must be repeated',
        help: 'Hold the battery for ten minutes without another write',
      },
      {
        field: 'refresh_interval_seconds',
        label: 'Repeat interval',
        help: 'Seconds, 5 to 3600; required if the setpoint must be repeated',
        range: [5, 3600],
      },
    ],
  },
}

const yesOrNo = { yes: 'Yes', no: 'No' }

/** The labels of a question's answers by their text in the form. */
export const choicesOf = ({ choices = yesOrNo }: Question): Readonly<Record<string, string>> => choices

/** Text of an answer in the form; empty for an unknown one. */
export function answerText(value: boolean | number | string | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value ?? '')
}

/** The answer to a question, for people. */
export function formatAnswer(capability: Capability, question: Question): string {
  const value = capability[question.field]
  if (value === null) return 'unknown'
  const text = answerText(value)
  const label = choicesOf(question)[text] ?? text
  return capability.status === 'unverified' && value !== false ? `${label}, assumed` : label
}

/**
 * Firmware that a capability was verified under when the inverter runs another one; null when it was never verified, or when
 * both are the same.
 */
export function firmwareOfOldVerification(
  { verified_firmware: verified, verified_at }: Pick<Capability, 'verified_firmware' | 'verified_at'>,
  firmware: string | null,
): string | null {
  return verified_at !== null && verified !== null && firmware !== null && verified !== firmware ? verified : null
}
