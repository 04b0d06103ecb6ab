import type { Database } from '@hearth/database'
import type { Catalog } from '../catalog/catalog.ts'
import type { Tables } from '../tables.ts'
import { invalid } from '../problems.ts'
import { GatewaySettings } from './schema.ts'
import { readSetting, writeSetting } from './store.ts'

/** Settings that administrators change at runtime, held in memory and stored in the database. */
export type SettingsStore = Awaited<ReturnType<typeof openSettings>>

/** Reads the settings once; from then on they are kept in step with the database. */
export async function openSettings(database: Database<Tables>, catalog: Catalog) {
  const db = database.query
  const stored = GatewaySettings.safeParse(await readSetting(db, 'gateway'))
  let current = stored.success ? stored.data : defaultSettings(catalog)
  let writeAccess = (await readSetting(db, 'write_access')) === true
  return {
    current: () => current,
    async change(next: GatewaySettings): Promise<void> {
      checkMetrics(next.scraper.metrics, catalog)
      await writeSetting(db, 'gateway', next)
      current = next
    },
    isWriteAccessOn: () => writeAccess,
    async setWriteAccess(enabled: boolean): Promise<void> {
      await writeSetting(db, 'write_access', enabled)
      writeAccess = enabled
    },
  }
}

function defaultSettings({ roles }: Catalog): GatewaySettings {
  const metrics = [...new Set([...roles.energyFlow, ...roles.preselected])].slice(0, 64)
  return {
    live_interval_seconds: 5,
    scraper: { metrics, token_required: true, sources: [], requests_per_minute: 120 },
  }
}

function checkMetrics(names: readonly string[], catalog: Catalog): void {
  const unknown = names.find((name) => catalog.byName(name) === undefined)
  if (unknown !== undefined) throw invalid('scraper.metrics', `names the unknown metric ${unknown}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid('scraper.metrics', `names ${twice} twice`)
}
