import type { Kysely } from 'kysely'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { SnapshotSettings } from './schema.ts'

/** Settings of the snapshots, in step with the database. */
export type SnapshotSettingsStore = Awaited<ReturnType<typeof openSnapshotSettings>>

const setting = 'parameter_snapshots'

const defaults: SnapshotSettings = { after_firmware: true, daily: false, kept: 30 }

/** Reads the settings. */
export async function openSnapshotSettings(db: Kysely<Tables>) {
  const found = SnapshotSettings.safeParse(await readSetting(db, setting))
  let stored = found.success ? found.data : defaults
  return {
    current: (): SnapshotSettings => stored,
    async change(settings: SnapshotSettings): Promise<void> {
      await writeSetting(db, setting, settings)
      stored = settings
    },
  }
}
