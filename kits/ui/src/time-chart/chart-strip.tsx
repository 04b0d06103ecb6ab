import type { ChartSeries, ChartShape } from './chart-figures.ts'
import { ChartLegend, ChartTable } from './chart-table.tsx'
import type { TimeChartProps } from './time-chart.tsx'
import './time-chart.css'

/**
 * The chart for pages that people see first: the same values as a `TimeChart` draws, without zoom, and without a library to load.
 * The highest value stands at the top, the first and the last time below.
 */
export function ChartStrip({ title, summary, times, series, format, formatTime, shape = 'bars' }: TimeChartProps) {
  const top = highest(series, times.length, shape)
  return (
    <figure className="time-chart">
      <figcaption className="chart-said">{summary}</figcaption>
      <ChartLegend series={series} />
      <p className="chart-ends">{format(top)}</p>
      <svg className="chart-strip" viewBox={`0 0 ${times.length} 1`} preserveAspectRatio="none" aria-hidden>
        {series.map(({ name, tone, isDashed, values }, index) => (
          <path
            key={name}
            data-tone={tone}
            data-shape={shape}
            data-dashed={isDashed}
            d={shape === 'bars' ? barsOf(series, index, top) : stepsOf(values, top)}
          />
        ))}
      </svg>
      <p className="chart-ends">
        <span>{formatTime(times[0] ?? '')}</span>
        <span>{formatTime(times.at(-1) ?? '')}</span>
      </p>
      <ChartTable title={title} times={times} series={series} format={format} formatTime={formatTime} />
    </figure>
  )
}

/** The highest line, or the highest stack of bars; 1 when all is zero. */
function highest(series: readonly ChartSeries[], count: number, shape: ChartShape): number {
  const all =
    shape === 'lines'
      ? series.flatMap(({ values }) => values.map((value) => value ?? 0))
      : Array.from({ length: count }, (_, at) => stackBelow(series, series.length, at))
  return Math.max(0, ...all) || 1
}

const stackBelow = (series: readonly ChartSeries[], end: number, at: number): number =>
  series.slice(0, end).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)

/** One rectangle for each known value, on top of those of the series before. */
function barsOf(series: readonly ChartSeries[], index: number, top: number): string {
  const bar = (value: number | null, at: number) => {
    if (value === null || value === 0) return ''
    const from = 1 - stackBelow(series, index, at) / top
    return `M${at + 0.1} ${from}h.8v${-value / top}h-.8z`
  }
  return (series[index]?.values ?? []).map(bar).join('')
}

/** A line of steps with a gap where nothing is known. */
function stepsOf(values: readonly (number | null)[], top: number): string {
  const step = (value: number | null, at: number) => {
    if (value === null) return ''
    const isFirst = at === 0 || (values[at - 1] ?? null) === null
    return `${isFirst ? 'M' : 'L'}${at} ${1 - value / top}h1`
  }
  return values.map(step).join('')
}
