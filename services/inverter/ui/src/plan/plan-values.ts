import type { PlanChange, PlanSettingsView } from '../api.ts'

type Settings = PlanSettingsView['settings']
type Window = Settings['windows'][number]
type Plane = Settings['planes'][number]

/** Values of the form. Lists are text with a line for each entry, and a number field that is empty holds text. */
export interface PlanValues extends Record<string, unknown> {
  enabled: boolean
  carries_out: boolean
  whole_plant: boolean
  batteries: string
  currency: string
  price_source: Settings['price_source']
  price_area: string
  price_url: string
  price_list: string
  price_start: string
  price_end: string
  price_value: string
  price_unit: Settings['price_unit']
  key: string
  fixed_price: number | string
  windows: string
  surcharge: number | string
  tax_percent: number | string
  fees: string
  feed_in_price: number | string
  feed_in_limit_w: number | string
  grid_limit_w: number | string
  forecast_source: Settings['forecast_source']
  latitude: number | string
  longitude: number | string
  planes: string
  capacity_wh: number | string
  reserve_percent: number | string
  full_percent: number | string
  charge_percent: number | string
  discharge_percent: number | string
  wear: number | string
}

/** Returns the form of the stored settings. */
export function valuesOf({ settings }: Pick<PlanSettingsView, 'settings'>): PlanValues {
  const { has_key: _key, device_id: _device, charge_efficiency, discharge_efficiency, ...values } = settings
  return {
    ...values,
    key: '',
    batteries: values.batteries.map(batteryText).join('\n'),
    windows: values.windows.map(windowText).join('\n'),
    fees: values.fees.map(windowText).join('\n'),
    planes: values.planes.map(({ tilt, azimuth, peak_w }) => `${tilt} ${azimuth} ${peak_w}`).join('\n'),
    feed_in_limit_w: values.feed_in_limit_w ?? '',
    grid_limit_w: values.grid_limit_w ?? '',
    latitude: values.latitude ?? '',
    longitude: values.longitude ?? '',
    capacity_wh: values.capacity_wh ?? '',
    charge_percent: Math.round(charge_efficiency * 1000) / 10,
    discharge_percent: Math.round(discharge_efficiency * 1000) / 10,
  }
}

/** Returns the body that saves the form. Throws an error that names the line that cannot be read. */
export function changeOf(values: PlanValues, { device_id }: Pick<Settings, 'device_id'>): PlanChange {
  const { key, charge_percent, discharge_percent, ...rest } = values
  const orNull = (value: number | string) => (value === '' ? null : Number(value))
  return {
    ...rest,
    device_id,
    batteries: linesOf(values.batteries).map(batteryIn),
    currency: values.currency.trim().toUpperCase(),
    fixed_price: Number(values.fixed_price),
    windows: linesOf(values.windows).map((line) => windowIn(line, 'Prices by time')),
    surcharge: Number(values.surcharge),
    tax_percent: Number(values.tax_percent),
    fees: linesOf(values.fees).map((line) => windowIn(line, 'Grid fees by time')),
    feed_in_price: Number(values.feed_in_price),
    feed_in_limit_w: orNull(values.feed_in_limit_w),
    grid_limit_w: orNull(values.grid_limit_w),
    latitude: orNull(values.latitude),
    longitude: orNull(values.longitude),
    planes: linesOf(values.planes).map(planeIn),
    capacity_wh: orNull(values.capacity_wh),
    reserve_percent: Number(values.reserve_percent),
    full_percent: Number(values.full_percent),
    charge_efficiency: Number(charge_percent) / 100,
    discharge_efficiency: Number(discharge_percent) / 100,
    wear: Number(values.wear),
    ...(key !== '' && { key }),
  }
}

/** What a line of a battery calls its values, how they are stored, and the factor between the two. */
const batteryWords = {
  content: ['capacity_wh', 1],
  reserve: ['reserve_percent', 1],
  full: ['full_percent', 1],
  charging: ['charge_efficiency', 100],
  discharging: ['discharge_efficiency', 100],
  wear: ['wear', 1],
} as const

type Battery = Settings['batteries'][number]

const batteryText = (battery: Battery): string => {
  const words = Object.entries(batteryWords).map(([word, [name, factor]]) => {
    const value = battery[name]
    return value === undefined ? '' : `${word}=${Math.round(value * factor * 1000) / 1000}`
  })
  return [battery.device_id, ...words.filter((word) => word !== '')].join(' ')
}

/** Reads `barn content=5000 reserve=15`. */
function batteryIn(line: string): Battery {
  const [device_id = '', ...words] = line.split(/\s+/)
  const battery: Battery = { device_id }
  for (const text of words) {
    const [word = '', value = ''] = text.split('=')
    const found = Object.entries(batteryWords).find(([known]) => known === word)
    if (found === undefined || value === '' || Number.isNaN(Number(value)))
      throw new Error(
        `Batteries: “${line}” must be the ID of an inverter and its values, like “barn content=5000 reserve=15 wear=0.03”`,
      )
    const [name, factor] = found[1]
    battery[name] = Number(value) / factor
  }
  return battery
}

const windowText = ({ days, from, to, price }: Window): string => `${days} ${from}-${to} ${price}`

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Reads `weekdays 06:00-22:00 0.31`; without days it is daily. */
function windowIn(line: string, field: string): Window {
  const found = /^(?:(daily|weekdays|weekends)\s+)?(\d\d:\d\d)\s*-\s*(\d\d:\d\d)\s+(-?\d+(?:\.\d+)?)$/i.exec(line)
  if (found === null) throw new Error(`${field}: “${line}” must be like “weekdays 06:00-22:00 0.31”`)
  const [, days = 'daily', from = '', to = '', price = ''] = found
  return { days: days.toLowerCase() as Window['days'], from, to, price: Number(price) }
}

/** Reads `35 -10 8000`. */
function planeIn(line: string): Plane {
  const numbers = line.split(/[\s,;]+/).map(Number)
  const [tilt, azimuth, peak] = numbers
  if (
    numbers.length !== 3 ||
    tilt === undefined ||
    azimuth === undefined ||
    peak === undefined ||
    numbers.some(Number.isNaN)
  )
    throw new Error(`Panels: “${line}” must be tilt, direction and watts, like “35 -10 8000”`)
  return { tilt, azimuth, peak_w: Math.round(peak) }
}
