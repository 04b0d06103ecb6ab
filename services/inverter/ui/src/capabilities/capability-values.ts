import type { components } from '../api.gen.ts'
import type { Capability } from '../api.ts'
import { capabilityPlans } from './capability-texts.ts'

type CapabilityUpdate = components['schemas']['CapabilityUpdate']

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
  const answers = capabilityPlans[capability.name].questions.map(({ field }) => [field, asText(capability[field])])
  return {
    ...Object.fromEntries(answers),
    status: capability.status,
    verified_device_model: capability.verified_device_model ?? '',
    verified_firmware: capability.verified_firmware ?? firmware ?? '',
    note: capability.note ?? '',
  }
}

function asText(value: boolean | number | string | null): string {
  if (value === null) return ''
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

/** The request that replaces the whole record. */
export function toCapabilityUpdate(values: CapabilityValues, { name }: Pick<Capability, 'name'>): CapabilityUpdate {
  const answers = capabilityPlans[name].questions.map(({ field, kind }) => [field, fromText(values[field], kind)])
  const text = (value: string) => (value.trim() === '' ? null : value.trim())
  return {
    ...(Object.fromEntries(answers) as Partial<CapabilityUpdate>),
    status: values.status,
    verified_device_model: text(values.verified_device_model),
    verified_firmware: text(values.verified_firmware),
    note: text(values.note),
  }
}

function fromText(value: unknown, kind: 'yes-no' | 'number' | 'unit'): boolean | number | string | null {
  if (value === '' || value === undefined || value === null) return null
  if (kind === 'yes-no') return value === 'yes'
  if (kind === 'number') return Number(value)
  return typeof value === 'string' ? value : null
}
