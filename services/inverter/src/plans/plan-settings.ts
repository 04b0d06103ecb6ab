import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { z } from 'zod'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { PlanSettings, type PlanChange } from './schema.ts'

/** Settings of the plans, in step with the database. The key is sealed and leaves only to the source of prices. */
export type PlanSettingsStore = Awaited<ReturnType<typeof openPlanSettings>>

const Stored = z.object({ settings: PlanSettings, key: z.string().nullable() })
type Stored = z.infer<typeof Stored>

const setting = 'plans'
const placeOfKey = 'settings.plans:key'

/** Reads the settings; without stored ones nothing is written. */
export async function openPlanSettings({ query }: Database<Tables>, sealer: Sealer) {
  const found = Stored.safeParse(await readSetting(query, setting))
  let stored: Stored = found.success ? found.data : { settings: defaultSettings, key: null }

  function next(change: PlanChange): Stored {
    const { key: given, ...values } = change
    const isElsewhere =
      values.price_source !== stored.settings.price_source || values.price_url !== stored.settings.price_url
    if (isElsewhere && given === undefined && stored.key !== null)
      throw invalid('key', 'must be entered again, because the source of prices has changed')
    const key = given === undefined ? stored.key : given === null ? null : sealer.seal(given, placeOfKey)
    const settings = { ...values, has_key: key !== null }
    if (settings.enabled) checkComplete(settings)
    return { settings, key }
  }

  async function store(changed: Stored): Promise<void> {
    await writeSetting(query, setting, changed)
    stored = changed
  }

  return {
    current: (): PlanSettings => stored.settings,
    key: (): string => (stored.key === null ? '' : sealer.open(stored.key, placeOfKey)),
    async change(change: PlanChange): Promise<void> {
      await store(next(change))
    },
    /** Drops what was entered for an inverter that was removed. */
    async forget(deviceId: string): Promise<void> {
      const { device_id: only, batteries } = stored.settings
      const left = batteries.filter(({ device_id: id }) => id !== deviceId)
      const settings = { ...stored.settings, device_id: only === deviceId ? '' : only, batteries: left }
      await store({ ...stored, settings })
    },
    /** No inverter, and no plans: the one that they were for is gone. */
    async switchOff(): Promise<void> {
      const settings = { ...stored.settings, enabled: false, carries_out: false, device_id: '', whole_plant: false }
      await store({ ...stored, settings })
    },
  }
}

/** The currency of sources that have only one. */
const currencies: { readonly [Source in PlanSettings['price_source']]?: string } = { awattar: 'EUR', octopus: 'GBP' }

function checkComplete(settings: PlanSettings): void {
  const { price_source: source, forecast_source: forecast } = settings
  if ((source === 'entsoe' || source === 'octopus' || source === 'nord-pool') && settings.price_area === '')
    throw invalid('price_area', `is needed with ${source}`)
  if ((source === 'entsoe' || source === 'tibber') && !settings.has_key)
    throw invalid('key', `is needed with ${source}`)
  const onlyCurrency = currencies[source]
  if (onlyCurrency !== undefined && settings.currency !== onlyCurrency)
    throw invalid('currency', `must be ${onlyCurrency} with ${source}`)
  if (source === 'json')
    for (const name of ['price_url', 'price_start', 'price_value'] as const)
      if (settings[name] === '') throw invalid(name, 'is needed with json')
  if (forecast === 'open-meteo' || forecast === 'forecast-solar') {
    for (const name of ['latitude', 'longitude'] as const)
      if (settings[name] === null) throw invalid(name, `is needed with ${forecast}`)
    if (settings.planes.length === 0) throw invalid('planes', `must have panels with ${forecast}`)
  }
  if (settings.reserve_percent >= settings.full_percent) throw invalid('reserve_percent', 'must be below full_percent')
  for (const [index, own] of settings.batteries.entries()) {
    const { reserve_percent: reserve = settings.reserve_percent, full_percent: full = settings.full_percent } = own
    if (reserve >= full) throw invalid(`batteries.${index}.reserve_percent`, 'must be below full_percent')
  }
  if (settings.carries_out && !settings.enabled) throw invalid('carries_out', 'needs plans that are made')
}

/** Settings of a new installation: no plans. */
export const defaultSettings: PlanSettings = {
  enabled: false,
  carries_out: false,
  device_id: '',
  whole_plant: false,
  batteries: [],
  currency: 'EUR',
  price_source: 'fixed',
  price_area: '',
  price_url: '',
  price_list: '',
  price_start: 'start',
  price_end: '',
  price_value: 'price',
  price_unit: 'kwh',
  fixed_price: 0.3,
  windows: [],
  surcharge: 0,
  tax_percent: 0,
  fees: [],
  feed_in_price: 0.08,
  feed_in_limit_w: null,
  grid_limit_w: null,
  forecast_source: 'none',
  latitude: null,
  longitude: null,
  planes: [],
  capacity_wh: null,
  reserve_percent: 7,
  full_percent: 95,
  charge_efficiency: 0.96,
  discharge_efficiency: 0.96,
  wear: 0.02,
  has_key: false,
}
