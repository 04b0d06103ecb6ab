import type { Parameter } from '../api.ts'

/** Views of the table: which objects each shows. */
export const parameterViews: readonly { value: string; label: string; shows: (parameter: Parameter) => boolean }[] = [
  { value: '', label: 'All', shows: () => true },
  { value: 'shown', label: 'Shown in readings', shows: ({ exposed }) => exposed },
  { value: 'approved', label: 'Approved for writing', shows: ({ approved }) => approved },
  { value: 'writable', label: 'Can be approved', shows: ({ writable }) => writable },
  { value: 'actions', label: 'Actions', shows: ({ is_action }) => is_action },
]

/** Objects that match every word typed, in name, vendor's name, unit or description, the view, and the group; '' is any. */
export function findParameters(
  parameters: readonly Parameter[],
  filter: Record<'search' | 'view' | 'group', string>,
): Parameter[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  const view = parameterViews.find(({ value }) => value === filter.view)
  return parameters.filter(
    (parameter) =>
      (filter.group === '' || parameter.group === filter.group) &&
      (view?.shows(parameter) ?? true) &&
      words.every((word) => textOf(parameter).includes(word)),
  )
}

function textOf({ name, vendor_name, unit, help_text }: Parameter): string {
  return `${name} ${vendor_name} ${unit ?? ''} ${help_text ?? ''}`.toLowerCase()
}

/** The objects in the order of a column: `name`, `-name`, `group`, `-group`; otherwise as they come. */
export function sortParameters(parameters: readonly Parameter[], sort: string): Parameter[] {
  const field = sort.replace(/^-/, '')
  if (field !== 'name' && field !== 'group') return [...parameters]
  const sign = sort.startsWith('-') ? -1 : 1
  return [...parameters].sort((a, b) => sign * a[field].localeCompare(b[field]) || a.name.localeCompare(b.name))
}

/** All groups there are, for a filter. */
export function groupsOf(parameters: readonly Parameter[]): string[] {
  return [...new Set(parameters.map(({ group }) => group))].sort()
}

/** Limits of an object as text; null if it has none. */
export function formatLimits({ minimum, maximum, allowed_values, unit, labels }: Parameter): string | null {
  if (labels !== null) return null
  if (allowed_values !== null) return `one of ${allowed_values.join(', ')}`
  if (minimum === null || maximum === null) return null
  const tidy = (value: number) => (Math.abs(value) >= 1e12 ? value.toPrecision(3) : String(value))
  return `${tidy(minimum)} to ${tidy(maximum)}${unit === null ? '' : ` ${unit}`}`
}

/** Labels of the value types. */
export const kinds: Record<Parameter['value_type'], string> = {
  boolean: 'On or off',
  integer: 'Whole number',
  number: 'Number',
  string: 'Text',
  enum: 'Choice',
}
