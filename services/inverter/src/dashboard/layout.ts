import type { Database } from '@hearth/database'
import type { Tables } from '../database/tables.ts'
import { deleteSetting, readSetting, writeSetting } from '../settings/store.ts'
import { DashboardLayout } from './schema.ts'

/** Keeps the arrangement of the dashboard. */
export interface LayoutStore {
  /** Null when none was saved, or when it was made by a version with other widgets. */
  read(): Promise<DashboardLayout | null>
  save(layout: DashboardLayout): Promise<void>
  reset(): Promise<void>
}

const name = 'dashboard_layout'

export function createLayoutStore({ query }: Database<Tables>): LayoutStore {
  return {
    async read() {
      const stored = DashboardLayout.safeParse(await readSetting(query, name))
      return stored.success ? stored.data : null
    },
    save: (layout) => writeSetting(query, name, layout),
    reset: () => deleteSetting(query, name),
  }
}
