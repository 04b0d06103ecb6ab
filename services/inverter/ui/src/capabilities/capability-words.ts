import type { components } from '../api.gen.ts'

export type Capability = components['schemas']['Capability']
export type CapabilityName = components['schemas']['CapabilityName']

/** Fields of evidence that are answered with yes or no, with a number, or with one of a few words. */
type YesNoField =
  | 'battery_discharge_positive'
  | 'grid_import_positive'
  | 'write_frame_layout_verified'
  | 'apply_sequence_verified'
  | 'sequence_order_relevant'
  | 'export_limit_zero_blocks_export'
  | 'volatile'
type NumberField = 'soc_strategy_external_code' | 'enum_byte_width' | 'bool_byte_width' | 'refresh_interval_seconds'

/** One question of evidence as the page asks it. */
export type Question =
  | { kind: 'yes-no'; field: YesNoField; label: string; help: string }
  | { kind: 'number'; field: NumberField; label: string; help: string; min: number; max: number }
  | { kind: 'unit'; field: 'soc_target_unit'; label: string; help: string }

/** What a capability is about, which commands need it, and what has to be found out. */
export interface CapabilityPlan {
  title: string
  meaning: string
  needs: string
  questions: readonly Question[]
}

/** Every capability in words. */
export const capabilityPlans: Record<CapabilityName, CapabilityPlan> = {
  battery_power_sign_convention: {
    title: 'Sign of the battery power',
    meaning: 'Whether the inverter reports a positive power while the battery discharges.',
    needs: 'Charge, discharge and hold',
    questions: [
      {
        kind: 'yes-no',
        field: 'battery_discharge_positive',
        label: 'Discharging is positive',
        help: 'Look at the battery power while the battery visibly feeds the house',
      },
    ],
  },
  grid_power_sign_convention: {
    title: 'Sign of the grid power',
    meaning: 'Whether the inverter reports a positive power while the house takes from the grid.',
    needs: 'Discharge',
    questions: [
      {
        kind: 'yes-no',
        field: 'grid_import_positive',
        label: 'Taking from the grid is positive',
        help: 'Switch on an oven at night and watch the grid power',
      },
    ],
  },
  write_path_convention: {
    title: 'Write method',
    meaning: 'How the registers of the battery control are written so that this firmware obeys.',
    needs: 'Charge, discharge and hold',
    questions: [
      {
        kind: 'number',
        field: 'soc_strategy_external_code',
        label: 'Code of external control',
        help: 'Value of power_mng_soc_strategy that hands the battery to this service; 2 on known firmware',
        min: 0,
        max: 255,
      },
      {
        kind: 'unit',
        field: 'soc_target_unit',
        label: 'Target is held as',
        help: 'Read power_mng_soc_target_set: 0.5 is a share, 50 is percent',
      },
      {
        kind: 'number',
        field: 'enum_byte_width',
        label: 'Bytes of an enumerated value',
        help: 'As the device answers it, 1 to 4',
        min: 1,
        max: 4,
      },
      {
        kind: 'number',
        field: 'bool_byte_width',
        label: 'Bytes of a yes-or-no value',
        help: 'As the device answers it, 1 to 4',
        min: 1,
        max: 4,
      },
      {
        kind: 'yes-no',
        field: 'write_frame_layout_verified',
        label: 'Written values arrive',
        help: 'A written register reads back what was sent',
      },
      {
        kind: 'yes-no',
        field: 'apply_sequence_verified',
        label: 'The sequence takes effect',
        help: 'The battery followed a command and returned to automatic mode afterwards',
      },
      {
        kind: 'yes-no',
        field: 'sequence_order_relevant',
        label: 'The order matters',
        help: 'Another order of the registers had another effect',
      },
    ],
  },
  export_limit_convention: {
    title: 'Export limit',
    meaning: 'Whether an export limit of 0 W really keeps power from the grid.',
    needs: 'Nothing at present',
    questions: [
      {
        kind: 'yes-no',
        field: 'export_limit_zero_blocks_export',
        label: '0 W blocks all export',
        help: 'Watch the meter with the limit at 0 W and the sun out',
      },
    ],
  },
  setpoint_volatility: {
    title: 'Memory of the setpoint',
    meaning: 'Whether the inverter forgets a setpoint unless it is sent again.',
    needs: 'Nothing; a forgetful device gets its setpoint repeated',
    questions: [
      {
        kind: 'yes-no',
        field: 'volatile',
        label: 'The setpoint is forgotten',
        help: 'Hold the battery for ten minutes without another write',
      },
      {
        kind: 'number',
        field: 'refresh_interval_seconds',
        label: 'Send again every',
        help: 'Seconds, 5 to 3600; needed when it is forgotten',
        min: 5,
        max: 3600,
      },
    ],
  },
}

/** The answer to a question, for people. */
export function answerInWords(capability: Capability, question: Question): string {
  const value = capability[question.field]
  if (value === null) return 'not known'
  const words = wordsOf(value)
  return capability.status === 'unverified' && value !== false ? `${words}, assumed` : words
}

function wordsOf(value: boolean | number | string): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return { percent: 'Percent', ratio: 'Share from 0 to 1' }[value] ?? String(value)
}
