import type { Parameter } from '../api.ts'

/** Converts the text of a field into an API value; undefined while there is nothing to send. */
export function toWriteValue(
  text: string | number,
  { value_type }: Pick<Parameter, 'value_type'>,
): number | boolean | string | undefined {
  if (value_type === 'string') return String(text)
  if (text === '') return undefined
  if (value_type === 'boolean') return text === 'on'
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Converts an API value as text, as an address has it, into the text of a field; empty when it is none. */
export function fieldText(text: string, { value_type }: Pick<Parameter, 'value_type'>): string | number {
  if (value_type === 'boolean') return text === 'true' ? 'on' : text === 'false' ? 'off' : ''
  if (value_type === 'string' || value_type === 'enum' || text === '') return text
  const value = Number(text)
  return Number.isFinite(value) ? value : ''
}

/** The choices of an object that has named values, by code. */
export function choicesOf({ labels, allowed_values }: Pick<Parameter, 'labels' | 'allowed_values'>) {
  return Object.entries(labels ?? {})
    .filter(([code]) => allowed_values === null || allowed_values.includes(Number(code)))
    .map(([code, label]) => ({ value: code, label: `${label.replaceAll('_', ' ')} (${code})` }))
}

/** Values that an object of this kind has in an ordinary house. */
interface ExpectedRange {
  min: number
  max: number
  /** Description of the object for the sentence “This is …”. */
  meaning: string
}

const byUnit: Readonly<Record<string, ExpectedRange>> = {
  '%': { min: 0, max: 100, meaning: 'a percentage' },
  ratio: { min: 0, max: 1, meaning: 'a ratio, where 0.5 is 50 %' },
  V: { min: 0, max: 1000, meaning: 'a household voltage' },
  A: { min: -100, max: 100, meaning: 'a household current' },
  W: { min: -50_000, max: 50_000, meaning: 'a household power' },
  VA: { min: -50_000, max: 50_000, meaning: 'a household power' },
  var: { min: -50_000, max: 50_000, meaning: 'a household power' },
  Hz: { min: 45, max: 65, meaning: 'a grid frequency' },
  '°C': { min: -40, max: 120, meaning: 'a device temperature' },
  Ah: { min: 0, max: 1000, meaning: 'a battery charge' },
  d: { min: 0, max: 366, meaning: 'a number of days' },
}

/** Objects without a unit that the vendor names as states of charge or health: shares on all known firmware. */
const share = /(?:^|_)(?:soc|soc_(?:min|max|min_island|charge|target_set|target_low|target_high)|soh|efficiency)$/
const powerFactor = /(?:^|_)cos_phi(?:_|$)/

/** Expected range of an object; undefined if neither unit nor name show it. */
export function expectedRange({ name, unit, value_type }: Pick<Parameter, 'name' | 'unit' | 'value_type'>) {
  if (value_type !== 'number' && value_type !== 'integer') return undefined
  if (unit !== null) return byUnit[unit]
  if (value_type !== 'number') return undefined
  if (share.test(name)) return byUnit['ratio']
  return powerFactor.test(name) ? { min: -1, max: 1, meaning: 'a power factor' } : undefined
}

/** Factor over the current value from which a new one needs a confirmation. */
const farFactor = 10

/** Warning about a value that looks like a mistake, as a sentence; null if it does not. */
export function warningFor(
  parameter: Pick<Parameter, 'name' | 'unit' | 'value_type'>,
  { value, now }: { value: number | boolean | string; now: number | boolean | string | null | undefined },
): string | null {
  if (typeof value !== 'number') return null
  const range = expectedRange(parameter)
  if (range !== undefined && (value < range.min || value > range.max))
    return `This is ${range.meaning}: usual values are from ${range.min.toLocaleString('en')} to ${range.max.toLocaleString('en')}.`
  if (parameter.value_type !== 'number' || typeof now !== 'number' || now === 0) return null
  return Math.abs(value) > farFactor * Math.abs(now) ? 'This is more than ten times the current value.' : null
}
