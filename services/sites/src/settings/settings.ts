import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { defaultSettings, Settings, type SettingsChange } from './schema.ts'

/** Hears of every change, after it was written. It must not throw. */
export type SettingsListener = (after: Settings, before: Settings) => void

/** The service's settings. Reading them costs nothing: they are kept, and changed only through here. */
export interface SettingsKeeper {
  current(): Settings
  /** All or none. */
  change(changes: SettingsChange): Promise<Settings>
  /** Returns how to stop listening. */
  onChange(listener: SettingsListener): () => void
}

/** Reads the stored settings; one that is missing or no longer valid has its default. */
export async function openSettings(db: Kysely<Tables>): Promise<SettingsKeeper> {
  let settings = settingsOf(await readSettingRows(db), Settings.shape, defaultSettings)
  const listeners = new Set<SettingsListener>()
  return {
    current: () => settings,
    async change(changes) {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      await writeSettingRows(db, new Map(given.map(([name, value]) => [name, JSON.stringify(value)])))
      const before = settings
      settings = { ...settings, ...(Object.fromEntries(given) as Partial<Settings>) }
      for (const listener of listeners) listener(settings, before)
      return settings
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
