import type { CatalogObject } from '../catalog/catalog.ts'
import type { AllowlistEntry } from '../catalog/schema.ts'
import { invalid, type ProblemCode } from '../problems.ts'
import type { WireValue } from '../protocol/wire-value.ts'

/** Longest text that fits into one frame, bytes. */
const longestText = 128

/**
 * Checks a value that somebody wants to write against the object's type and the allowlist; throws a 422 that names `value`.
 * Numbers come in the unit the metric reports; enumerations by number. Nothing is sent before this passed.
 */
export function checkValue(object: CatalogObject, rule: AllowlistEntry, value: unknown): WireValue {
  if (object.type === 'bool')
    return typeof value === 'boolean' ? value : refuse('must be true or false', 'value_type_mismatch')
  if (object.type === 'string') return checkText(value)
  if (typeof value !== 'number') return refuse('must be a number', 'value_type_mismatch')
  if (!Number.isFinite(value)) return refuse('must be finite', 'value_not_finite')
  if (object.type !== 'float' && !Number.isInteger(value))
    return refuse('must be a whole number', 'value_type_mismatch')
  checkLimits(rule, value)
  checkUnit(object, value)
  if (object.type === 'float' && !Number.isFinite(Math.fround(value / object.scale)))
    return refuse('does not fit a 32-bit float', 'value_out_of_range')
  return value
}

function checkText(value: unknown): string {
  if (typeof value !== 'string') return refuse('must be text', 'value_type_mismatch')
  if (value.includes('\0')) return refuse('must not contain a null character', 'value_out_of_range')
  if (Buffer.byteLength(value) > longestText)
    return refuse(`must have at most ${longestText} bytes`, 'value_out_of_range')
  return value
}

function checkLimits(
  { minimum = -Infinity, maximum = Infinity, allowed_values: allowed, step }: AllowlistEntry,
  value: number,
): void {
  if (value < minimum || value > maximum) refuse(`must be from ${minimum} to ${maximum}`, 'value_out_of_range')
  if (allowed !== undefined && !allowed.includes(value))
    refuse(`must be one of ${allowed.join(', ')}`, 'value_out_of_range')
  if (step === undefined) return
  const steps = (value - (Number.isFinite(minimum) ? minimum : 0)) / step
  if (Math.abs(steps - Math.round(steps)) > 1e-9) refuse(`must be a multiple of ${step}`, 'value_step_mismatch')
}

/** Units that leave no doubt about what a value can be. All other limits of the allowlist are those of the wire type. */
const unitRanges: Readonly<Record<string, readonly [number, number, string]>> = {
  '%': [0, 100, 'percent'],
  ratio: [0, 1, 'a share, 0.5 is 50 %'],
}

function checkUnit({ unit }: CatalogObject, value: number): void {
  const range = unitRanges[unit ?? '']
  if (range === undefined) return
  const [least, most, meaning] = range
  if (value < least || value > most) refuse(`must be from ${least} to ${most} (${meaning})`, 'value_out_of_range')
}

function refuse(detail: string, code: ProblemCode): never {
  throw invalid('value', detail, code)
}
