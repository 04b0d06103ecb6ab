import { z } from 'zod'

/** Widgets the dashboard has. */
export const widgetIds = [
  'energy-flow',
  'battery',
  'pv-power',
  'house-power',
  'grid-power',
  'battery-power',
  'battery-soc',
  'battery-temperature',
  'days-to-calibration',
  'inverter-state',
  'health',
  'energy-today',
  'device-count',
  'connected-count',
  'metric-count',
  'devices',
  'dispatch',
] as const

const Widget = z
  .strictObject({
    id: z.enum(widgetIds),
    x: z.int().min(0).max(11),
    y: z.int().min(0).max(1000),
    w: z.int().min(1).max(12),
    h: z.int().min(1).max(100),
    visible: z.boolean(),
  })
  .refine(({ x, w }) => x + w <= 12, { error: 'reaches beyond the twelve columns', path: ['w'] })
  .meta({ id: 'DashboardWidget' })

/** Saved layout of the dashboard: a grid of twelve columns. */
export const DashboardLayout = z
  .strictObject({
    version: z.literal(1),
    widgets: z
      .array(Widget)
      .max(32)
      .refine((widgets) => new Set(widgets.map(({ id }) => id)).size === widgets.length, 'names a widget twice'),
  })
  .meta({ id: 'DashboardLayout' })
export type DashboardLayout = z.infer<typeof DashboardLayout>

export const LayoutAnswer = z
  .object({ layout: DashboardLayout.nullable().meta({ description: 'null: default layout' }) })
  .meta({ id: 'LayoutAnswer' })
