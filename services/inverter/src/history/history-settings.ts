import type { Database } from '@hearth/database'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { LocalDays } from './local-days.ts'
import { HistorySettings } from './schema.ts'

/** Settings of the energy history, in step with the database. */
export type HistorySettingsStore = Awaited<ReturnType<typeof openHistorySettings>>

const setting = 'energy_history'

const defaults: HistorySettings = { enabled: true, five_minute_days: 400, fills_gaps: true, time_zone: '' }

/** Reads the settings. */
export async function openHistorySettings({ query }: Database<Tables>) {
  const found = HistorySettings.safeParse(await readSetting(query, setting))
  let stored = found.success ? found.data : defaults
  let days: LocalDays | undefined
  return {
    current: (): HistorySettings => stored,
    /** The calendar of the time zone in use. */
    days(): LocalDays {
      const zone = stored.time_zone === '' ? Temporal.Now.timeZoneId() : stored.time_zone
      if (days?.zone !== zone) days = new LocalDays(zone)
      return days
    },
    async change(settings: HistorySettings): Promise<void> {
      await writeSetting(query, setting, settings)
      stored = settings
    },
  }
}
