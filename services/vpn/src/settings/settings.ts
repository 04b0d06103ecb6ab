import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { normaliseResolvers } from '../interfaces/schema.ts'
import { defaultSettings, Settings, type SettingsUpdate } from './schema.ts'

/** The service's settings. Reading them costs nothing: they are kept, and changed only through here. */
export type SettingsStore = Awaited<ReturnType<typeof openSettings>>

/** Reads the stored settings; one that is missing or no longer valid has its default. */
export async function openSettings(db: Kysely<Tables>) {
  const listeners: { readonly name: keyof Settings; readonly listener: () => void }[] = []
  let settings = settingsOf(await readSettingRows(db), Settings.shape, defaultSettings)
  return {
    current: () => settings,
    async update(changes: SettingsUpdate): Promise<Settings> {
      const tidy =
        changes.default_dns === undefined
          ? changes
          : { ...changes, default_dns: normaliseResolvers(changes.default_dns) }
      const given = Object.entries(tidy).filter(([, value]) => value !== undefined)
      await writeSettingRows(db, new Map(given.map(([name, value]) => [name, JSON.stringify(value)])))
      const before = settings
      settings = { ...settings, ...(Object.fromEntries(given) as Partial<Settings>) }
      for (const { name, listener } of listeners) if (settings[name] !== before[name]) listener()
      return settings
    },
    /** Calls the listener after every change of the setting to another value. */
    subscribe: (name: keyof Settings, listener: () => void) => void listeners.push({ name, listener }),
  }
}
