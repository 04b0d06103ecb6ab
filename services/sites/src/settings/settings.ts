import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import { defaultSettings, Settings, type SettingsChange } from './schema.ts'

/** The table of the settings. */
export interface SettingTables {
  settings: {
    name: string
    /** JSON. */
    value: string
  }
}

/** A listener of changes, called after each was written. It must not throw. */
export type SettingsListener = (after: Settings, before: Settings) => void

/** The service's settings. Reading them costs nothing: they are kept, and changed only through `change`. */
export type SettingsStore = Awaited<ReturnType<typeof openSettings>>

/** Reads the stored settings; one that is missing or no longer valid has its default. */
export async function openSettings(db: Kysely<SettingTables>) {
  let settings = settingsOf(await readSettingRows(db), Settings.shape, defaultSettings)
  const listeners = new Set<SettingsListener>()
  return {
    current: (): Settings => settings,
    /** Writes all changes or none. */
    async change(changes: SettingsChange): Promise<Settings> {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      await writeSettingRows(db, new Map(given.map(([name, value]) => [name, JSON.stringify(value)])))
      const before = settings
      settings = { ...settings, ...(Object.fromEntries(given) as Partial<Settings>) }
      for (const listener of listeners) listener(settings, before)
      return settings
    },
    /** Returns a function that ends the subscription. */
    onChange(listener: SettingsListener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
