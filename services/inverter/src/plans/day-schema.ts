import { z } from 'zod'

const timestamp = z.iso.datetime()

/** What the inverter does at a time. */
export const PlanAction = z.enum(['automatic', 'hold', 'charge', 'discharge']).meta({ id: 'PlanAction' })
export type PlanAction = z.infer<typeof PlanAction>

/** What a day cost. */
export const PlanDay = z
  .object({
    date: z.iso.date(),
    cost: z.number(),
    cost_without: z.number().meta({ description: 'What it would have cost if the inverter had decided by itself' }),
    currency: z.string(),
  })
  .meta({ id: 'PlanDay' })
export type PlanDay = z.infer<typeof PlanDay>

/** A quarter hour of a past day: what the plan in force expected, and what happened. */
export const PlanPastStep = z
  .object({
    start: timestamp,
    buy: z.number().nullable(),
    action: PlanAction.nullable().meta({ description: 'What was planned; null while there was no plan' }),
    planned_soc_percent: z.number().nullable(),
    planned_grid_w: z.int().nullable(),
    planned_pv_w: z.int().nullable(),
    planned_load_w: z.int().nullable(),
    soc_percent: z.number().nullable().meta({ description: 'What happened; null where it is not known' }),
    grid_w: z.int().nullable(),
    pv_w: z.int().nullable(),
    load_w: z.int().nullable(),
  })
  .meta({ id: 'PlanPastStep' })
export type PlanPastStep = z.infer<typeof PlanPastStep>

/** A past day: what it cost, what was planned, and what happened. */
export const PlanPastDay = PlanDay.extend({
  device_id: z.string(),
  steps: z.array(PlanPastStep).meta({ description: 'Empty for a day that an older version judged' }),
}).meta({ id: 'PlanPastDay' })
export type PlanPastDay = z.infer<typeof PlanPastDay>

/** The days that plans were carried out on. */
export const PlanDays = z
  .object({ device_id: z.string(), days: z.array(PlanDay).meta({ description: 'Newest first' }) })
  .meta({ id: 'PlanDays' })
export type PlanDays = z.infer<typeof PlanDays>
