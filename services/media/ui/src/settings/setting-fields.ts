import type { Settings } from '../api.ts'

/** Names of the settings a form of this page writes. */
export type SettingName = Exclude<keyof Settings, 'has_credentials'>

/** A group's values as its form holds them: a number field may be empty while somebody types. */
export type GroupValues = Record<string, number | string | boolean>

/** The stored values of some settings. */
export function valuesOf(settings: Settings, names: readonly SettingName[]): GroupValues {
  return Object.fromEntries(names.map((name) => [name, settings[name]]))
}

/** The server names the wrong setting first: `retention_days must be …`. Splits that; undefined for another sentence. */
export function fieldProblemOf(message: string, names: readonly string[]): { name: string; text: string } | undefined {
  const [, name = '', rest = ''] = /^(\w+) (.+)$/s.exec(message) ?? []
  if (!names.includes(name)) return undefined
  return { name, text: `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` }
}
