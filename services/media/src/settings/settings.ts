import { readSettingRows, settingsOf, writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { defaultSettings, Settings } from './schema.ts'
import { deleteSettingRows } from './store.ts'

/** Settings nobody writes by the API: the account, the stem service's key, the marker of the statistics. */
export type InternalName =
  | 'admin_username'
  | 'admin_password_hash'
  | 'statistics_reset_at'
  | 'stem_account'
  | 'pinned_tools'

/** The service's settings. Reading costs nothing: they are kept, and read again when another process changed them. */
export interface SettingsKeeper {
  current(): Settings
  internal(name: InternalName): string | undefined
  /** All or none. An internal value of null goes away. */
  write(changes: Partial<Settings>, internal?: Partial<Record<InternalName, string | null>>): Promise<void>
  /** Reads what is stored, after another process wrote. */
  refresh(): Promise<void>
}

export async function openSettings(db: Kysely<Tables>): Promise<SettingsKeeper> {
  let rows = await readSettingRows(db)
  let settings = parse(rows)

  async function refresh(): Promise<void> {
    rows = await readSettingRows(db)
    settings = parse(rows)
  }

  return {
    current: () => settings,
    internal: (name) => rows.get(name),
    refresh,
    async write(changes, internal = {}) {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      const kept = Object.entries(internal).filter((entry): entry is [InternalName, string] => entry[1] !== null)
      const gone = Object.entries(internal).flatMap(([name, value]) => (value === null ? [name] : []))
      const values = new Map([...given.map(([name, value]) => [name, JSON.stringify(value)] as const), ...kept])
      await db.transaction().execute(async (trx) => {
        await writeSettingRows(trx, values)
        if (gone.length > 0) await deleteSettingRows(trx, gone)
      })
      await refresh()
    },
  }
}

const parse = (rows: ReadonlyMap<string, string>) => settingsOf(rows, Settings.shape, defaultSettings)
