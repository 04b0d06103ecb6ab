import type { Parameter } from '../api.ts'

/** Values that an object of this kind has in an ordinary house. */
export interface ExpectedRange {
  min: number
  max: number
  /** What the object is, for the sentence “this is …”. */
  meaning: string
}

const byUnit: Readonly<Record<string, ExpectedRange>> = {
  '%': { min: 0, max: 100, meaning: 'a percentage' },
  ratio: { min: 0, max: 1, meaning: 'a share, where 0.5 is 50 %' },
  V: { min: 0, max: 1000, meaning: 'a voltage of a house' },
  A: { min: -100, max: 100, meaning: 'a current of a house' },
  W: { min: -50_000, max: 50_000, meaning: 'a power of a house' },
  VA: { min: -50_000, max: 50_000, meaning: 'a power of a house' },
  var: { min: -50_000, max: 50_000, meaning: 'a power of a house' },
  Hz: { min: 45, max: 65, meaning: 'a frequency of the grid' },
  '°C': { min: -40, max: 120, meaning: 'a temperature of the device' },
  Ah: { min: 0, max: 1000, meaning: 'a charge of a battery' },
  d: { min: 0, max: 366, meaning: 'a number of days' },
}

/** Objects without a unit that the vendor names as states of charge or health: shares on all known firmware. */
const share = /(?:^|_)(?:soc|soc_(?:min|max|min_island|charge|target_set|target_low|target_high)|soh|efficiency)$/
const powerFactor = /(?:^|_)cos_phi(?:_|$)/

/** What is to be expected of an object; undefined where neither unit nor name says. */
export function expectedRange({ name, unit, value_type }: Pick<Parameter, 'name' | 'unit' | 'value_type'>) {
  if (value_type !== 'number' && value_type !== 'integer') return undefined
  if (unit !== null) return byUnit[unit]
  if (value_type !== 'number') return undefined
  if (share.test(name)) return byUnit['ratio']
  return powerFactor.test(name) ? { min: -1, max: 1, meaning: 'a power factor' } : undefined
}

/** How many times the present value a new one may be before it is asked about. */
const farFactor = 10

/** Why a value looks like a mistake, as a sentence; null when it does not. */
export function doubtAbout(
  parameter: Pick<Parameter, 'name' | 'unit' | 'value_type'>,
  { value, now }: { value: number | boolean | string; now: number | boolean | string | null | undefined },
): string | null {
  if (typeof value !== 'number') return null
  const range = expectedRange(parameter)
  if (range !== undefined && (value < range.min || value > range.max))
    return `This is ${range.meaning}: usual values are from ${range.min.toLocaleString('en')} to ${range.max.toLocaleString('en')}.`
  if (parameter.value_type !== 'number' || typeof now !== 'number' || now === 0) return null
  return Math.abs(value) > farFactor * Math.abs(now)
    ? 'This is far outside what this value is now: more than ten times as much.'
    : null
}
