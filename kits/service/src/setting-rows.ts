import type { Kysely } from 'kysely'

/** The table of settings that a service has; other tables beside it do not matter. */
interface SettingTables {
  settings: {
    name: string
    /** JSON. */
    value: string
  }
}

const tableOf = (db: unknown) => db as Kysely<SettingTables>

/** Every stored setting by name, as JSON text, from the table `settings`. */
export async function readSettingRows<Tables extends SettingTables>(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await tableOf(db).selectFrom('settings').selectAll().execute()
  return new Map(rows.map((row) => [row.name, row.value]))
}

/** Adds or replaces settings, given as JSON text; all or none. */
export async function writeSettingRows<Tables extends SettingTables>(
  db: Kysely<Tables>,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  if (values.size === 0) return
  await tableOf(db)
    .insertInto('settings')
    .values([...values].map(([name, value]) => ({ name, value })))
    .onConflict((conflict) => conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute()
}

/** A member of a schema, as far as reading goes. */
interface Member {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
}

/** Stored settings by a schema's members; one that is missing, or no longer valid, has its default. */
export function settingsOf<Settings extends object>(
  rows: ReadonlyMap<string, string>,
  shape: Readonly<Record<string, Member>>,
  defaults: Settings,
): Settings {
  const stored = Object.entries(shape).flatMap(([name, member]) => {
    const text = rows.get(name)
    const result = text === undefined ? undefined : member.safeParse(JSON.parse(text))
    return result?.success === true ? [[name, result.data] as const] : []
  })
  return { ...defaults, ...(Object.fromEntries(stored) as Partial<Settings>) }
}
