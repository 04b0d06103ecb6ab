import type { CatalogObject } from '../../catalog/catalog.ts'
import type { AllowlistEntry } from '../../catalog/schema.ts'
import { invalid } from '../../problems.ts'
import type { Components, EntityContext } from './component.ts'
import { entityName, humanize } from './entity-names.ts'
import { factorOf, quantityOf } from './quantity.ts'

/** Maximum length of a text that is written, characters; the inverter takes 128 bytes. */
const maxText = 128

/** Ranges of units that leave no doubt about what a value can be, as published. */
const unitRanges: Readonly<Record<string, readonly [number, number]>> = { '%': [0, 100], ratio: [0, 100] }

/** Smallest step that Home Assistant takes. */
const smallestStep = 0.001

/** Returns the entities that write an object: a number, switch, select or text, and for an action a button a value. */
export function controlsOf(object: CatalogObject, context: EntityContext): Components {
  const rule = context.catalog.allowlist.get(object.name)
  // Several values in one object cannot be set by one.
  if (rule === undefined || object.structHint !== undefined || object.type === 'struct') return {}
  if (object.isAction) return buttonsOf(object, rule, context)
  const { topics, deviceId } = context
  const shared = {
    unique_id: topics.id(deviceId, `${object.name}_control`),
    name: entityName(object),
    state_topic: topics.state(deviceId, object.name),
    command_topic: topics.command(deviceId, object.name),
    json_attributes_topic: topics.result(deviceId, object.name),
    entity_category: 'config',
  }
  return { [`${object.name}_control`]: { ...shared, ...controlOf(object, rule) } }
}

function controlOf(object: CatalogObject, rule: AllowlistEntry) {
  if (object.type === 'bool')
    return {
      platform: 'switch',
      payload_on: 'true',
      payload_off: 'false',
      state_on: 'true',
      state_off: 'false',
    }
  if (object.type === 'string') return { platform: 'text', min: 0, max: maxText }
  const labels = labelsOf(object, rule)
  if (labels.length > 0) return { platform: 'select', options: labels }
  const { unit_of_measurement, device_class } = quantityOf(object)
  return {
    platform: 'number',
    ...(unit_of_measurement === undefined ? {} : { unit_of_measurement }),
    ...(device_class === undefined || device_class === 'timestamp' ? {} : { device_class }),
    ...rangeOf(object, rule),
    step: stepOf(object, rule),
    mode: 'box',
  }
}

function rangeOf({ unit, scale }: CatalogObject, { minimum, maximum }: AllowlistEntry) {
  const [least, most] = unitRanges[unit ?? ''] ?? [minimum ?? -1e9, maximum ?? 1e9]
  const factor = factorOf({ unit })
  return {
    min: Math.max(least, (minimum ?? -Infinity) * factor * Math.min(scale, 1)),
    max: Math.min(most, (maximum ?? Infinity) * factor * Math.max(scale, 1)),
  }
}

function stepOf({ valueType, unit }: CatalogObject, { step }: AllowlistEntry): number {
  const published = (step ?? (valueType === 'number' ? 0.1 / factorOf({ unit }) : 1)) * factorOf({ unit })
  return Math.max(smallestStep, Number(published.toPrecision(7)))
}

/** Labels of the values that may be written. */
function labelsOf({ enumLabels }: CatalogObject, { allowed_values: allowed }: AllowlistEntry): string[] {
  const entries = [...(enumLabels ?? [])].filter(([code]) => allowed?.includes(code) ?? true)
  return [...new Set(entries.map(([, label]) => label))]
}

function buttonsOf(object: CatalogObject, rule: AllowlistEntry, { topics, deviceId }: EntityContext): Components {
  const codes = rule.allowed_values ?? [...(object.enumLabels?.keys() ?? [])]
  return Object.fromEntries(
    codes.map((code) => {
      const label = object.enumLabels?.get(code) ?? String(code)
      const key = `${object.name}_${code}`
      const button = {
        platform: 'button',
        unique_id: topics.id(deviceId, key),
        name: `${entityName(object)}: ${humanize(label).toLowerCase()}`,
        command_topic: topics.command(deviceId, object.name),
        payload_press: String(code),
        json_attributes_topic: topics.result(deviceId, object.name),
        entity_category: 'config',
      }
      return [key, button]
    }),
  )
}

/** A number as Home Assistant writes it. */
const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** Returns the value that a command's payload stands for, in the unit of the API; throws a 422 that names `value`. */
export function valueOfCommand(object: CatalogObject, payload: string): number | boolean | string {
  if (object.type === 'string') return payload
  if (object.type === 'bool') {
    if (payload !== 'true' && payload !== 'false')
      throw invalid('value', 'must be true or false', 'value_type_mismatch')
    return payload === 'true'
  }
  const labelled = [...(object.enumLabels ?? [])].find(([, label]) => label === payload)
  if (labelled !== undefined) return labelled[0]
  if (!numberForm.test(payload)) throw invalid('value', 'must be a number', 'value_type_mismatch')
  const value = Number(payload) / factorOf(object)
  return factorOf(object) === 1 ? value : Number(value.toPrecision(7))
}
