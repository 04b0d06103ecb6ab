import { z } from 'zod'
import { PlanAction, PlanDay } from './day-schema.ts'

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\p{C}]*$/u, 'must have no control characters')

const money = z.number().min(-1000).max(1000)
const watts = z.int().min(0).max(1_000_000)
const timestamp = z.iso.datetime()

/** Time of a day, `24:00` for its end. */
const ClockTime = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 06:30')

const TimeWindow = z
  .strictObject({
    days: z.enum(['daily', 'weekdays', 'weekends']),
    from: ClockTime,
    to: ClockTime.meta({ description: 'May be before the begin; then it ends on the day after' }),
    price: money.meta({ description: 'For a kilowatt-hour' }),
  })
  .refine(({ from, to }) => from !== to, 'must not end when it begins')
  .meta({ id: 'PlanTimeWindow' })

const Plane = z
  .strictObject({
    tilt: z.number().min(0).max(90).meta({ description: 'Degrees; 0 is flat' }),
    azimuth: z.number().min(-180).max(180).meta({ description: 'Degrees; 0 is south, -90 east, 90 west' }),
    peak_w: watts.min(1).meta({ description: 'Power of the panels at full sun' }),
  })
  .meta({ id: 'PlanPlane' })

/** Values of one battery; what is left out is as in the settings. */
const PlanBattery = z
  .strictObject({
    device_id: text(64),
    capacity_wh: watts.min(100).optional(),
    reserve_percent: z.number().min(5).max(95).optional(),
    full_percent: z.number().min(10).max(100).optional(),
    charge_efficiency: z.number().min(0.5).max(1).optional(),
    discharge_efficiency: z.number().min(0.5).max(1).optional(),
    wear: z.number().min(0).max(10).optional(),
  })
  .meta({ id: 'PlanBattery' })

const path = text(120).regex(/^[^\s]*$/, 'must have no blanks')

const values = {
  enabled: z.boolean().meta({ description: 'Makes plans' }),
  carries_out: z.boolean().meta({ description: 'Carries them out through dispatch; otherwise they are only shown' }),
  device_id: text(64).meta({ description: 'Inverter; the first one when it is empty' }),
  whole_plant: z
    .boolean()
    .default(false)
    .meta({ description: 'Plans all batteries of the plant together, instead of those of one inverter' }),
  batteries: z
    .array(PlanBattery)
    .max(32)
    .default([])
    .meta({ description: 'whole_plant: batteries that differ from the values below' }),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR'),
  price_source: z.enum(['fixed', 'file', 'json', 'entsoe', 'awattar', 'tibber', 'octopus', 'nord-pool']).meta({
    description: 'fixed: price and windows below; file: plans/prices.csv or prices.json in the data directory',
  }),
  price_area: text(80)
    .regex(/^[\w-]*$/, 'must be letters, digits and hyphens')
    .meta({ description: 'Zone, country, tariff or home, as the source names it' }),
  price_url: z
    .string()
    .trim()
    .max(500)
    .refine((url) => url === '' || isPriceUrl(url), 'must be http:// or https:// with a host and no credentials')
    .meta({ description: 'json: address of the document' }),
  price_list: path.meta({ description: 'json: place of the list, names with points between them' }),
  price_start: path.meta({ description: 'json: place of the begin inside an entry' }),
  price_end: path.meta({ description: 'json: place of the end; empty for none' }),
  price_value: path.meta({ description: 'json: place of the price' }),
  price_unit: z.enum(['kwh', 'hundredth_kwh', 'mwh']).meta({ description: 'json: what a price is for' }),
  fixed_price: money.meta({ description: 'fixed: price of a kilowatt-hour outside the windows' }),
  windows: z.array(TimeWindow).max(24).meta({ description: 'fixed: the first that fits counts' }),
  surcharge: money.meta({ description: 'Added to the price of the source, before tax' }),
  tax_percent: z.number().min(0).max(100).meta({ description: 'On price and surcharge' }),
  fees: z.array(TimeWindow).max(24).meta({ description: 'Grid fees by time, with tax; the first that fits counts' }),
  feed_in_price: money,
  feed_in_limit_w: watts.nullable().meta({ description: 'Largest power into the grid; null for no limit' }),
  grid_limit_w: watts.min(1).nullable().meta({ description: 'Largest power from the grid; null for no limit' }),
  forecast_source: z.enum(['none', 'open-meteo', 'forecast-solar', 'file']).meta({
    description: 'none: what the sun gave at this hour in the last days; file: plans/solar.csv or solar.json',
  }),
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
  planes: z.array(Plane).max(4),
  capacity_wh: watts
    .min(100)
    .nullable()
    .meta({ description: 'Content of the full battery; null for what the inverter says' }),
  reserve_percent: z.number().min(5).max(95).meta({ description: 'A plan does not discharge below this' }),
  full_percent: z.number().min(10).max(100).meta({ description: 'A plan does not charge from the grid above this' }),
  charge_efficiency: z.number().min(0.5).max(1),
  discharge_efficiency: z.number().min(0.5).max(1),
  wear: z.number().min(0).max(10).meta({ description: 'Cost of wear for each kilowatt-hour discharged' }),
}

/** Settings of the plans as they are changed. */
export const PlanChange = z
  .strictObject({
    ...values,
    key: z
      .string()
      .min(1)
      .max(400)
      .regex(/^[\x21-\x7e]+$/, 'must be printable characters without blanks')
      .nullable()
      .optional()
      .meta({ description: 'Key of the source. Never returned; left out it stays as it is, null removes it' }),
  })
  .meta({ id: 'PlanChange' })
export type PlanChange = z.output<typeof PlanChange>

/** Settings of the plans without the key. */
export const PlanSettings = z.object({ ...values, has_key: z.boolean() }).meta({ id: 'PlanSettings' })
export type PlanSettings = z.infer<typeof PlanSettings>

/** A quarter hour of a plan. */
export const PlanStep = z
  .object({
    start: timestamp,
    action: PlanAction,
    battery_w: z.int().meta({ description: 'Expected mean power of all batteries; discharge is positive' }),
    soc_percent: z
      .number()
      .meta({ description: 'Expected state of charge at the end, of all batteries by their content' }),
    soc_percent_without: z.number().meta({ description: 'The same without a plan' }),
    pv_w: z.int(),
    load_w: z.int(),
    grid_w: z.int().meta({ description: 'Import is positive' }),
    buy: z.number().meta({ description: 'Price of a kilowatt-hour with every fee and tax' }),
    sell: z.number(),
    batteries: z
      .array(z.object({ device_id: z.string(), action: PlanAction, battery_w: z.int(), soc_percent: z.number() }))
      .meta({ description: 'Each battery of the plan' }),
  })
  .meta({ id: 'PlanStep' })
export type PlanStep = z.infer<typeof PlanStep>

/** Steps of a plan with one action. */
export const PlanBlock = z
  .object({
    device_id: z.string().meta({ description: 'The inverter of the battery' }),
    start: timestamp,
    end: timestamp,
    action: PlanAction,
    power_w: z.int().nullable().meta({ description: 'Largest power; null for hold and automatic' }),
    target_soc_percent: z.number().nullable(),
    energy_wh: z.int().meta({ description: 'Into the battery or out of it' }),
    saving: z.number().meta({ description: 'What the plan would cost more without it' }),
    reason: z.string(),
    is_by_hand: z.boolean(),
  })
  .meta({ id: 'PlanBlock' })
export type PlanBlock = z.infer<typeof PlanBlock>

/** A plan for the battery. */
export const Plan = z
  .object({
    made_at: timestamp,
    until: timestamp.meta({ description: 'End of what is known: the prices, and the forecast where one is set' }),
    currency: z.string(),
    expected_cost: z.number().meta({ description: 'With wear, less the value of what is stored at the end' }),
    expected_cost_without: z.number().meta({ description: 'The same when the inverter decides by itself' }),
    blocks: z.array(PlanBlock).meta({ description: 'The inverter decides by itself at all other times' }),
    steps: z.array(PlanStep),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

/** What a person wants of a stretch of time. */
export const PlanChoice = z
  .strictObject({
    device_id: text(64)
      .optional()
      .meta({ description: 'Of a plan for several batteries: the one it is for; all when it is left out' }),
    start: timestamp,
    end: timestamp,
    action: PlanAction,
  })
  .meta({ id: 'PlanChoice' })
export type PlanChoice = z.infer<typeof PlanChoice>

const Carrying = z.enum(['off', 'paused', 'automatic', 'plan', 'person', 'failed'])

/** What becomes of the plan on one battery. */
const PlanBatteryStatus = z
  .object({
    device_id: z.string(),
    carrying: Carrying,
    carrying_detail: z.string().nullable(),
    left_out: z.string().nullable().meta({ description: 'Why the plan goes on without it, in words' }),
  })
  .meta({ id: 'PlanBatteryStatus' })
export type PlanBatteryStatus = z.infer<typeof PlanBatteryStatus>

/** State of making plans and carrying them out. */
export const PlanStatus = z
  .object({
    state: z.enum(['off', 'waiting', 'ready']).meta({ description: 'waiting: something is missing' }),
    missing: z.array(z.string()).meta({ description: 'What is missing, in words' }),
    prices_until: timestamp.nullable(),
    forecast_until: timestamp.nullable(),
    price_error: z.string().nullable(),
    forecast_error: z.string().nullable(),
    carrying: Carrying.meta({
      description: 'Who decides now: the inverter, the plan, or somebody who commands the battery',
    }),
    carrying_detail: z.string().nullable(),
    paused_until: timestamp.nullable(),
    batteries: z.array(PlanBatteryStatus),
  })
  .meta({ id: 'PlanStatus' })
export type PlanStatus = z.infer<typeof PlanStatus>

/** The plan of a device. */
export const DevicePlan = z
  .object({
    device_id: z.string(),
    status: PlanStatus,
    plan: Plan.nullable(),
    choices: z.array(PlanChoice),
    days: z.array(PlanDay).meta({ description: 'Newest first' }),
  })
  .meta({ id: 'DevicePlan' })
export type DevicePlan = z.infer<typeof DevicePlan>

/** Settings of the plans. */
export const PlanSettingsView = z
  .object({
    settings: PlanSettings,
    device_id: z
      .string()
      .nullable()
      .meta({ description: 'The inverter that plans are made for; `@plant` for all batteries of the plant' }),
    batteries: z.array(z.object({ device_id: z.string(), display_name: z.string(), capacity_wh: z.int().nullable() })),
    has_plant: z.boolean().meta({ description: 'There is a plant whose batteries can be planned together' }),
    capacity_wh: z.int().nullable().meta({ description: 'What the inverters say of their batteries' }),
    time_zone: z.string(),
  })
  .meta({ id: 'PlanSettingsView' })
export type PlanSettingsView = z.infer<typeof PlanSettingsView>

/** Choices of a person; they replace all earlier ones. */
export const PlanChoices = z.strictObject({ choices: z.array(PlanChoice).max(50) }).meta({ id: 'PlanChoices' })
export type PlanChoices = z.output<typeof PlanChoices>

/** A pause of carrying out. */
export const PlanPause = z
  .strictObject({ until: timestamp.nullable().meta({ description: 'null ends the pause' }) })
  .meta({ id: 'PlanPause' })
export type PlanPause = z.output<typeof PlanPause>

function isPriceUrl(url: string): boolean {
  if (!/^https?:\/\/[^\s@\\]+$/.test(url) || !URL.canParse(url)) return false
  const { hostname, username, password } = new URL(url)
  return hostname !== '' && username === '' && password === ''
}
