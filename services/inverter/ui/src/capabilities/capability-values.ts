import type { Capability, Schemas } from '../api.ts'
import { answerText, capabilityPlans, type Question } from './capability-texts.ts'

/** Values of the capability form: every answer as text, empty for unknown. */
export interface CapabilityValues extends Record<string, unknown> {
  status: Capability['status']
  verified_device_model: string
  verified_firmware: string
  note: string
  /** Answers by field: `yes`, `no`, digits, `ratio`, `percent` or nothing. */
  [field: string]: unknown
}

/** A capability as its form shows it; firmware is proposed from the device. */
export function capabilityValues(capability: Capability, firmware: string | null): CapabilityValues {
  const answers = capabilityPlans[capability.name].questions.map(({ field }) => [field, answerText(capability[field])])
  return {
    ...Object.fromEntries(answers),
    status: capability.status,
    verified_device_model: capability.verified_device_model ?? '',
    verified_firmware: capability.verified_firmware ?? firmware ?? '',
    note: capability.note ?? '',
  }
}

/** The request that replaces the whole record. */
export function toCapabilityUpdate(
  values: CapabilityValues,
  { name }: Pick<Capability, 'name'>,
): Schemas['CapabilityUpdate'] {
  const answers = capabilityPlans[name].questions.map((question) => [
    question.field,
    answerOf(values[question.field], question),
  ])
  const text = (value: string) => (value.trim() === '' ? null : value.trim())
  return {
    ...(Object.fromEntries(answers) as Partial<Schemas['CapabilityUpdate']>),
    status: values.status,
    verified_device_model: text(values.verified_device_model),
    verified_firmware: text(values.verified_firmware),
    note: text(values.note),
  }
}

function answerOf(value: unknown, { range }: Question): boolean | number | string | null {
  if (value === '' || value === undefined || value === null) return null
  if (range !== undefined) return Number(value)
  if (value === 'yes' || value === 'no') return value === 'yes'
  return typeof value === 'string' ? value : null
}
