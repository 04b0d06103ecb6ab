import type { components } from '../api.gen.ts'

type Settings = components['schemas']['Settings']
type SettingsChange = components['schemas']['SettingsChange']

/** What the settings form holds; the registration at SSL Labs has a form of its own. */
export type SettingsValues = Omit<Settings, 'ssllabs'>

/** The form of the stored settings. */
export function settingsValues(settings: Settings): SettingsValues {
  const { ssllabs: _, ...values } = settings
  return values
}

/** What the form shows when others saved something: their values, but for the members somebody has typed in. */
export function rebasedValues(
  values: SettingsValues,
  { before, now }: { before: Settings; now: Settings },
): SettingsValues {
  const typed = changedSettings(values, before)
  return { ...settingsValues(now), ...(typed as Partial<SettingsValues>) }
}

/** Only what differs from the stored settings. */
export function changedSettings(values: SettingsValues, stored: Settings): SettingsChange {
  const before: Record<string, unknown> = { ...stored }
  return Object.fromEntries(Object.entries(values).filter(([member, value]) => value !== before[member]))
}
