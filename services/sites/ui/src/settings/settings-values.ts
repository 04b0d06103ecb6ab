import type { Settings, SettingsChange } from '../api.ts'

/** Values of the settings form; the registration at SSL Labs has its own form. */
export type SettingsValues = Omit<Settings, 'ssllabs' | 'grade_retention_days'> & {
  /** A select gives it as text. */
  grade_retention_days: number | string
}

/** The form of the stored settings. */
export function settingsValues(settings: Settings): SettingsValues {
  const { ssllabs: _, ...values } = settings
  return values
}

/** Returns the form's values after others saved: theirs, except for members that were edited here. */
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
  const typed = { ...values, grade_retention_days: Number(values.grade_retention_days) }
  return Object.fromEntries(Object.entries(typed).filter(([member, value]) => value !== before[member]))
}
