import { z } from 'zod'
import { isTimeZone } from './local-days.ts'
import { sources } from './quantities.ts'

const wattHours = z.int().nullable()
const watts = z.int().nullable()
const share = z.number().min(0).max(1)

/** Energies of a stretch of time in watt-hours; null where nothing measures them. */
const energies = {
  pv_wh: wattHours.meta({ description: 'Produced by the panels' }),
  load_wh: wattHours.meta({ description: 'Used by the house' }),
  import_wh: wattHours.meta({ description: 'Taken from the grid' }),
  export_wh: wattHours.meta({ description: 'Fed into the grid' }),
  charge_wh: wattHours.meta({ description: 'Into the battery' }),
  discharge_wh: wattHours.meta({ description: 'Out of the battery' }),
}

/** Local date, such as `2026-11-27`. */
const LocalDate = z.iso.date().meta({ description: 'Date in the time zone of the history' })

/** A date that is asked for: the history can only have some centuries. */
const WantedDate = LocalDate.refine((date) => date >= '2000-01-01' && date < '2200-01-01', {
  error: 'must be from 2000 to 2199',
})

/** A period of the calendar. */
export const Period = z.enum(['day', 'month', 'year', 'total'])
export type Period = z.infer<typeof Period>

/** Length of the stretches that an answer is divided into. */
export const Resolution = z.enum(['five_minutes', 'hour', 'day', 'month', 'year'])
export type Resolution = z.infer<typeof Resolution>

/** One stretch of time of the history. */
export const EnergyBucket = z
  .object({
    start: z.iso.datetime(),
    date: LocalDate,
    ...energies,
    pv_w: watts.meta({ description: 'Mean power; only with five minutes' }),
    load_w: watts,
    grid_w: watts.meta({ description: 'Import is positive' }),
    battery_w: watts.meta({ description: 'Discharge is positive' }),
    soc_percent: z.number().nullable().meta({ description: 'State of charge at the end' }),
    known: share.meta({ description: 'Share of the time of which energies are known' }),
    source: z
      .enum([...sources, 'mixed'])
      .nullable()
      .meta({
        description: 'Measured by this service, from the inverter’s log, or from its counters; null for unknown',
      }),
  })
  .meta({ id: 'EnergyBucket' })
export type EnergyBucket = z.infer<typeof EnergyBucket>

/** The energy balance of a period. */
export const EnergyBalance = z
  .object({
    ...energies,
    self_sufficiency: share.nullable().meta({ description: 'Share of the use that did not come from the grid' }),
    own_use: share.nullable().meta({ description: 'Share of the production that was not fed into the grid' }),
    battery_cycles: z
      .number()
      .nullable()
      .meta({ description: 'Energy out of the battery as a multiple of its content' }),
    battery_loss_wh: wattHours.meta({ description: 'What went into the battery and neither came out nor is in it' }),
    conversion_loss_wh: wattHours.meta({ description: 'What the inverter took and gave to nothing' }),
    known: share.meta({ description: 'Share of the time so far of which energies are known' }),
  })
  .meta({ id: 'EnergyBalance' })
export type EnergyBalance = z.infer<typeof EnergyBalance>

/** Balance and course of a period. */
export const EnergyHistory = z
  .object({
    device_id: z.string(),
    period: Period,
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    time_zone: z.string(),
    resolution: Resolution,
    first_date: LocalDate.nullable().meta({ description: 'First day of the history; null while there is none' }),
    balance: EnergyBalance,
    missing: z.array(z.object({ device_id: z.string(), from: z.iso.datetime(), until: z.iso.datetime() })).meta({
      description: 'Of a day of the plant: when nothing is known of which inverter, so that nothing is added up',
    }),
    buckets: z.array(EnergyBucket),
  })
  .meta({ id: 'EnergyHistory' })
export type EnergyHistory = z.infer<typeof EnergyHistory>

/** Query of a period. */
export const EnergyHistoryQuery = z.strictObject({
  period: Period.default('day'),
  date: WantedDate.optional().meta({ description: 'A date in the period; today when it is missing' }),
})
export type EnergyHistoryQuery = z.output<typeof EnergyHistoryQuery>

/** Query of a file. */
export const EnergyExportQuery = z.strictObject({
  resolution: z.enum(['five_minutes', 'hour', 'day']).default('five_minutes'),
  from: WantedDate.optional().meta({ description: 'First date; that of the history when it is missing' }),
  to: WantedDate.optional().meta({ description: 'Last date, included; today when it is missing' }),
})
export type EnergyExportQuery = z.output<typeof EnergyExportQuery>

/** Settings of the energy history. */
export const HistorySettings = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'Keeps a history' }),
    five_minute_days: z.int().min(7).max(1100).meta({ description: 'Days for which five minutes are kept' }),
    fills_gaps: z.boolean().meta({ description: 'Reads what is missing from the inverter’s own log' }),
    time_zone: z
      .string()
      .max(64)
      .refine((name) => name === '' || isTimeZone(name), {
        error: 'must be the name of a time zone, such as Europe/Berlin',
      })
      .meta({ description: 'Zone whose days are added up; empty for that of this machine' }),
  })
  .meta({ id: 'HistorySettings' })
export type HistorySettings = z.infer<typeof HistorySettings>

const timestamp = z.iso.datetime().nullable()

/** State of reading the inverter's log. */
export const FillingStatus = z
  .object({
    state: z.enum(['off', 'waiting', 'reading', 'done']),
    detail: z.string().nullable().meta({ description: 'Reason of the last failure' }),
    checked_until: timestamp.meta({ description: 'Gaps before this time were read, or the log has nothing of them' }),
    reading_at: timestamp.meta({ description: 'The log is read backwards from here' }),
    slots: z.int().min(0).meta({ description: 'Five-minute values taken from the log since the start' }),
  })
  .meta({ id: 'FillingStatus' })
export type FillingStatus = z.infer<typeof FillingStatus>

/** The history of one device. */
export const DeviceHistoryStatus = z
  .object({
    device_id: z.string(),
    slots: z.int().min(0).meta({ description: 'Five-minute values that are stored' }),
    oldest: timestamp,
    newest: timestamp,
    first_date: LocalDate.nullable(),
    filling: FillingStatus,
  })
  .meta({ id: 'DeviceHistoryStatus' })
export type DeviceHistoryStatus = z.infer<typeof DeviceHistoryStatus>

/** Settings and state of the energy history. */
export const HistoryView = z
  .object({
    settings: HistorySettings,
    time_zone: z.string().meta({ description: 'The zone in use' }),
    devices: z.array(DeviceHistoryStatus),
  })
  .meta({ id: 'HistoryView' })
export type HistoryView = z.infer<typeof HistoryView>
