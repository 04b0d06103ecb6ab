import {
  anyStateClass,
  categoriesOf,
  membersOf,
  requiredOf,
  sensorOnly,
  stateClassesOf,
  unitsOfClass,
} from './home-assistant.data.ts'

type Component = Readonly<Record<string, unknown>>

/** Returns what Home Assistant would refuse or warn of in a component of a discovery message. */
export function componentProblems(component: Component): string[] {
  const platform = String(component['platform'])
  const members = membersOf[platform]
  if (members === undefined) return [`unknown platform ${platform}`]
  return [
    ...Object.keys(component).flatMap((name) => (members.includes(name) ? [] : [`unknown member ${name}`])),
    ...(requiredOf[platform] ?? []).flatMap((name) => (component[name] === undefined ? [`${name} is missing`] : [])),
    ...Object.entries(component).flatMap(([name, value]) => (value === '' ? [`${name} is empty`] : [])),
    ...topicProblems(component),
    ...(categoriesOf(platform).includes(component['entity_category'] as string | undefined)
      ? []
      : [`${platform} cannot be of the category ${String(component['entity_category'])}`]),
    ...(platform === 'sensor' ? sensorProblems(component) : []),
    ...(platform === 'number' ? numberProblems(component) : []),
    ...(platform === 'select' ? optionProblems(component) : []),
  ]
}

function topicProblems(component: Component): string[] {
  return Object.entries(component).flatMap(([name, value]) =>
    name.endsWith('_topic') && (typeof value !== 'string' || /[+#\0]|^\/|\/$/.test(value) || value.length > 512)
      ? [`${name} is no topic to publish to`]
      : [],
  )
}

function sensorProblems(component: Component): string[] {
  const { device_class, state_class, unit_of_measurement, options, suggested_display_precision } = component
  const text = (value: unknown) => value as string | undefined
  const name = text(device_class)
  const units = name === undefined ? undefined : unitsOfClass[name]
  const problems: string[] = []
  if (name !== undefined && units === undefined) problems.push(`unknown device class ${name}`)
  if (units !== undefined && !units.includes(text(unit_of_measurement)))
    problems.push(`${name} has no unit ${text(unit_of_measurement)}`)
  const states = name === undefined ? anyStateClass : (stateClassesOf[name] ?? ['measurement', undefined])
  if (!states.includes(text(state_class))) problems.push(`${name} has no state class ${text(state_class)}`)
  if ((options !== undefined) !== (name === 'enum')) problems.push('options and the device class enum belong together')
  if (options !== undefined) problems.push(...optionProblems(component))
  if (suggested_display_precision !== undefined && !(Number(suggested_display_precision) >= 0))
    problems.push('the precision is no number of places')
  return problems
}

function numberProblems({ device_class, unit_of_measurement, min, max, step }: Component): string[] {
  const name = device_class as string | undefined
  const problems: string[] = []
  if (name !== undefined && (unitsOfClass[name] === undefined || sensorOnly.includes(name)))
    problems.push(`a number has no device class ${name}`)
  else if (name !== undefined && unitsOfClass[name]?.includes(unit_of_measurement as string | undefined) !== true)
    problems.push(`${name} has no unit ${String(unit_of_measurement)}`)
  if (!(Number(min) < Number(max))) problems.push(`${String(min)} is not less than ${String(max)}`)
  if (!(Number(step) >= 0.001)) problems.push(`a step of ${String(step)} is too small`)
  return problems
}

function optionProblems({ options }: Component): string[] {
  if (!Array.isArray(options) || options.length === 0) return ['there are no options']
  return new Set(options).size === options.length ? [] : ['options are there twice']
}
