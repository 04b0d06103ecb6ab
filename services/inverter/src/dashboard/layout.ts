import type { Database } from '@hearth/database'
import type { Tables } from '../tables.ts'
import { deleteSetting, readSetting, writeSetting } from '../settings/store.ts'
import { DashboardLayout } from './schema.ts'

/** Stores the layout of the dashboard. */
export type LayoutStore = ReturnType<typeof createLayoutStore>

const name = 'dashboard_layout'

/** Creates the store of the dashboard layout, which lives in one row of the settings. */
export function createLayoutStore({ query }: Database<Tables>) {
  return {
    /** Returns null when none was saved, or when it comes from a version with other widgets. */
    async read(): Promise<DashboardLayout | null> {
      const stored = DashboardLayout.safeParse(await readSetting(query, name))
      return stored.success ? stored.data : null
    },
    save: (layout: DashboardLayout) => writeSetting(query, name, layout),
    reset: () => deleteSetting(query, name),
  }
}
