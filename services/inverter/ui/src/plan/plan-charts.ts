import type { ChartSeries } from '@hearth/ui'
import type { DevicePlan } from '../api.ts'
import { power, spell } from '../values/quantity.ts'

type Plan = NonNullable<DevicePlan['plan']>

/** A chart of the page. */
export interface PlanChart {
  readonly title: string
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
}

const percent = (value: number) => `${Math.round(value)} %`
const watts = (value: number) => spell(power(value))

/** Price, battery, and what is expected of sun and house. */
export function chartsOf({ steps, currency }: Plan): readonly PlanChart[] {
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

const during = (steps: Plan['steps'], action: string, values: readonly number[]): (number | null)[] =>
  steps.map((step, index) => (step.action === action ? (values[index] ?? null) : null))
