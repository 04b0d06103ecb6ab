import type { ChartSeries } from '@hearth/ui'
import type { DevicePlan, PlanSettingsView } from '../api.ts'
import { power, spell } from '../values/quantity.ts'
import { batteryName } from './plan-texts.ts'

type Plan = NonNullable<DevicePlan['plan']>

/** A chart of the page. */
export interface PlanChart {
  readonly title: string
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
}

/** A share in the words of charts. */
export const percent = (value: number) => `${Math.round(value)} %`
/** A power in the words of charts. */
export const watts = (value: number) => spell(power(value))

/** Price, battery, and what is expected of sun and house. */
export function chartsOf({ steps, currency }: Plan, view: PlanSettingsView): readonly PlanChart[] {
  const times = steps.map(({ start }) => start)
  const buys = steps.map(({ buy }) => buy * 100)
  const lowest = Math.min(...buys)
  const highest = Math.max(...buys)
  const unit = (value: number) => (value / 100).toFixed(2)
  const first = steps[0]?.soc_percent ?? 0
  const last = steps.at(-1)?.soc_percent ?? 0
  return [
    {
      title: 'Price of a kilowatt-hour',
      summary: `From ${unit(lowest)} to ${unit(highest)} ${currency}.`,
      times,
      format: unit,
      series: [
        { name: 'Buying', tone: 'accent', values: buys },
        { name: 'While the plan charges', tone: 'quiet', values: during(steps, 'charge', buys) },
        { name: 'While it holds', tone: 'warn', values: during(steps, 'hold', buys) },
      ],
    },
    {
      title: 'Battery',
      summary: `${percent(first)} now, ${percent(last)} at the end.`,
      times,
      format: percent,
      series: [
        { name: 'With the plan', tone: 'quiet', values: steps.map(({ soc_percent }) => soc_percent) },
        {
          name: 'Without a plan',
          tone: 'accent',
          isDashed: true,
          values: steps.map(({ soc_percent_without }) => soc_percent_without),
        },
      ],
    },
    ...ofBatteries(steps, view),
    {
      title: 'Expected',
      summary: 'What the sun gives and the house takes.',
      times,
      format: watts,
      series: [
        { name: 'Sun', tone: 'accent', values: steps.map(({ pv_w }) => pv_w) },
        { name: 'House', tone: 'bad', values: steps.map(({ load_w }) => load_w) },
      ],
    },
  ]
}

const tones = ['quiet', 'accent', 'bad', 'warn'] as const

/** Each battery, where there are several. */
function ofBatteries(steps: Plan['steps'], view: PlanSettingsView): PlanChart[] {
  const ids = (steps[0]?.batteries ?? []).map(({ device_id }) => device_id)
  if (ids.length < 2) return []
  const series = ids.map((id, index): ChartSeries => {
    const values = steps.map(
      ({ batteries }) => batteries.find(({ device_id }) => device_id === id)?.soc_percent ?? null,
    )
    return { name: batteryName(id, view), tone: tones[index % tones.length] ?? 'quiet', values }
  })
  const summary = `${ids.length} batteries with the plan.`
  return [{ title: 'Each battery', summary, times: steps.map(({ start }) => start), format: percent, series }]
}

const during = (steps: Plan['steps'], action: string, values: readonly number[]): (number | null)[] =>
  steps.map((step, index) => (step.action === action ? (values[index] ?? null) : null))
