import type { ChartSeries } from '@hearth/ui'
import type { PlanPastDay } from '../api.ts'
import { percent, type PlanChart, watts } from './plan-charts.ts'
import { money } from './plan-texts.ts'

type Steps = PlanPastDay['steps']
type Name = Exclude<keyof Steps[number], 'start' | 'action'>

/** What was planned beside what happened: battery, grid, sun and house. */
export function pastDayCharts({ steps }: PlanPastDay): readonly PlanChart[] {
  const times = steps.map(({ start }) => start)
  const of = (name: Name) =>
    steps.map((step) => {
      const value = step[name]
      // The chart begins at zero: what is fed into the grid is no part of it.
      return value === null ? null : Math.max(0, value)
    })
  const pair = (planned: Name, happened: Name, tone: ChartSeries['tone']): ChartSeries[] => [
    { name: 'Planned', tone, isDashed: true, values: of(planned) },
    { name: 'Happened', tone, values: of(happened) },
  ]
  return [
    {
      title: 'Battery',
      summary: 'State of charge at the end of each quarter hour.',
      times,
      format: percent,
      series: pair('planned_soc_percent', 'soc_percent', 'quiet'),
    },
    {
      title: 'From the grid',
      summary: 'Mean power.',
      times,
      format: watts,
      series: pair('planned_grid_w', 'grid_w', 'warn'),
    },
    { title: 'Sun', summary: 'Mean power.', times, format: watts, series: pair('planned_pv_w', 'pv_w', 'accent') },
    { title: 'House', summary: 'Mean power.', times, format: watts, series: pair('planned_load_w', 'load_w', 'bad') },
  ]
}

/** What a day saved, in words. */
export function savedText({
  cost,
  cost_without: without,
  currency,
}: Pick<PlanPastDay, 'cost' | 'cost_without' | 'currency'>) {
  const saved = without - cost
  if (Math.abs(saved) < 0.005) return 'as without a plan'
  return `${money(Math.abs(saved), currency)} ${saved > 0 ? 'saved' : 'more'}`
}

/** What some days saved together; undefined when they are in several currencies, or there are none. */
export function totalSaved(
  days: readonly Pick<PlanPastDay, 'cost' | 'cost_without' | 'currency'>[],
): string | undefined {
  const currencies = new Set(days.map(({ currency }) => currency))
  const [currency] = currencies
  if (currency === undefined || currencies.size > 1) return undefined
  const saved = days.reduce((sum, { cost, cost_without: without }) => sum + without - cost, 0)
  return `${money(Math.abs(saved), currency)} ${saved >= 0 ? 'saved' : 'more than without plans'} on ${days.length} ${days.length === 1 ? 'day' : 'days'}`
}
