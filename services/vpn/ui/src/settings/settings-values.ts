import type { components } from '../api.gen.ts'

type Settings = components['schemas']['Settings']
type SettingsUpdate = components['schemas']['SettingsUpdate']

/** What the settings form holds: a number field may be empty while somebody types. */
export type SettingsValues = {
  [Member in keyof Settings]: Settings[Member] extends number ? number | '' : Settings[Member]
}

/** Only what differs from the stored settings; an emptied number counts as no change. */
export function changedSettings(values: SettingsValues, stored: Settings): SettingsUpdate {
  const before: Record<string, unknown> = { ...stored }
  const differs = ([member, value]: [string, unknown]) =>
    value !== before[member] && !(value === '' && typeof before[member] === 'number')
  return Object.fromEntries(Object.entries(values).filter(differs))
}
