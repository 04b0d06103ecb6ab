import { z } from 'zod'
import { DeviceId, DeviceState } from '../devices/schema.ts'

/** Stands for the plant where an inverter is named: in its history and in its plan. No inverter can have this id. */
export const plantId = '@plant'

const watts = z.int().nullable()
const wattHours = z.int().min(0).nullable()

/** An inverter of the plant. */
export const PlantInverter = z
  .strictObject({
    device_id: DeviceId,
    sees_grid: z.boolean().meta({
      description:
        'Its power sensor measures the grid connection of the house. Several may; the first that answers counts',
    }),
  })
  .meta({ id: 'PlantInverter' })
export type PlantInverter = z.infer<typeof PlantInverter>

/** Which inverters are one plant: those behind one grid connection. */
export const PlantSettings = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'Adds the inverters up' }),
    display_name: z.string().trim().max(64),
    inverters: z
      .array(PlantInverter)
      .max(32)
      .refine((list) => new Set(list.map(({ device_id: id }) => id)).size === list.length, 'names an inverter twice'),
  })
  .meta({ id: 'PlantSettings' })
export type PlantSettings = z.infer<typeof PlantSettings>

/** A sum over the inverters of a plant. */
export const PlantSum = z
  .object({
    watts: watts.meta({ description: 'null while an inverter does not answer: a part is no sum' }),
    known_watts: watts.meta({ description: 'The part of the inverters that answer' }),
    inverters: z.int().meta({ description: 'Inverters that the part is from' }),
  })
  .meta({ id: 'PlantSum' })
export type PlantSum = z.infer<typeof PlantSum>

/** An inverter of the plant as it is now. */
export const PlantPart = z
  .object({
    device_id: z.string(),
    display_name: z.string(),
    sees_grid: z.boolean(),
    state: DeviceState,
    is_away: z.boolean().meta({ description: 'It gives no values; its last ones are no part of any sum' }),
    is_off_for_night: z.boolean().meta({
      description: 'It has no battery and is switched off because it is dark: it counts as 0 W',
    }),
    last_success_at: z.iso.datetime().nullable(),
    pv_w: watts,
    battery_w: watts.meta({ description: 'Discharge is positive' }),
    ac_w: watts.meta({ description: 'Given to the house and the grid; negative for what it takes' }),
    soc_percent: z.number().nullable(),
    capacity_wh: wattHours,
  })
  .meta({ id: 'PlantPart' })
export type PlantPart = z.infer<typeof PlantPart>

/** The plant as it is now. */
export const PlantNow = z
  .object({
    display_name: z.string(),
    inverters: z.array(PlantPart),
    away: z.array(z.string()).meta({ description: 'Inverters that give no values' }),
    grid_meter: z.string().nullable().meta({ description: 'The inverter whose sensor the grid power is from' }),
    pv: PlantSum,
    battery: PlantSum.meta({ description: 'Discharge is positive' }),
    grid: PlantSum.meta({ description: 'Import is positive' }),
    house: PlantSum.meta({ description: 'Grid power and what the inverters give' }),
    soc_percent: z.number().nullable().meta({
      description: 'State of charge of all batteries together, by their content; null while one is not known',
    }),
    stored_wh: wattHours,
    capacity_wh: wattHours.meta({ description: 'Content of the full batteries, as far as it is known' }),
    known_soc_percent: z.number().nullable().meta({
      description: 'State of charge of the batteries that are known, without those of `unknown_batteries`',
    }),
    known_stored_wh: wattHours,
    unknown_batteries: z.array(z.string()).meta({
      description: 'Inverters whose state of charge, or whose content, is not known',
    }),
  })
  .meta({ id: 'PlantNow' })
export type PlantNow = z.infer<typeof PlantNow>

/** Settings of the plant. */
export const PlantSettingsView = z.object({ settings: PlantSettings }).meta({ id: 'PlantSettingsView' })
