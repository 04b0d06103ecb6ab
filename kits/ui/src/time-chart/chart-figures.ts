import { formatDay, formatTime } from '../format-time.ts'

/** Colour of a series; `time-chart.css` maps it to the theme's colours. */
export type ChartTone = 'accent' | 'quiet' | 'warn' | 'bad'

/** Values of one kind over the times of a chart. */
export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  /** One for each time; null where nothing is known, which is drawn as a gap. */
  readonly values: readonly (number | null)[]
  /** Draws a dashed line. */
  readonly isDashed?: boolean
  /** Text beside the name in the legend, such as the sum of the values. */
  readonly total?: string
}

/** Form of the values: stacked bars, or lines of steps. */
export type ChartShape = 'bars' | 'lines'

type Values = (number | null)[]

/**
 * Data for uPlot: seconds since the epoch, then the series. Bars are stacked with the first series at the bottom; the tallest
 * comes first, because later ones are drawn over it.
 */
export function chartData(
  times: readonly string[],
  series: readonly ChartSeries[],
  shape: ChartShape = 'bars',
): [number[], ...Values[]] {
  const seconds = times.map((time) => Date.parse(time) / 1000)
  if (shape === 'lines') return [seconds, ...series.map(({ values }) => [...values])]
  let ceiling = times.map(() => 0)
  const stacked = series.map(({ values }) => {
    ceiling = ceiling.map((value, index) => value + (values[index] ?? 0))
    return ceiling
  })
  return [seconds, ...stacked.toReversed()]
}

/**
 * Round numbers from 0 to the top of a scale, at most five, in steps of 1, 2 or 5 times a power of ten of a unit. `base` is 1024
 * for bytes; no step is smaller than `smallest`.
 */
export function axisTicks(
  maximum: number,
  { base = 1000, smallest = 1 }: { base?: 1000 | 1024; smallest?: number } = {},
): number[] {
  const unit = maximum >= base ? base ** Math.floor(Math.log(maximum) / Math.log(base)) : 1
  const rough = maximum / unit / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, Number.EPSILON)))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10
  const step = Math.max(factor * power * unit, smallest)
  return Array.from({ length: Math.floor(maximum / step) + 1 }, (_, index) => index * step)
}

/**
 * Labels for seconds since the epoch: the time of day, or the day at midnight and where days are apart, or the year where years
 * are.
 */
export function timeLabels(ticks: readonly number[], isUtc: boolean): string[] {
  const zone = isUtc ? ({ timeZone: 'UTC' } as const) : {}
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0)
  const [isDaily, isYearly] = [step >= 86_000, step >= 360 * 86_400]
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1000)
    if (isYearly) return String(isUtc ? at.getUTCFullYear() : at.getFullYear())
    const isMidnight = isUtc ? seconds % 86_400 === 0 : at.getHours() === 0 && at.getMinutes() === 0
    return isDaily || isMidnight ? formatDay(at, zone) : formatTime(at, zone)
  })
}

/** The figures of a chart, without how it is drawn. */
export interface ChartFigures {
  /** Beginning of each bucket, ISO 8601, oldest first. */
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  /** A bucket's time in full. */
  readonly formatTime: (time: string) => string
}

/** A bucket as a sentence: its time, and each known value with its name. */
export function describeBucket({ times, series, format, formatTime }: ChartFigures, index: number): string {
  const time = times[index]
  if (time === undefined) return ''
  const parts = series.flatMap(({ name, values }) => {
    const value = values[index]
    return value === null || value === undefined ? [] : [`${name} ${format(value)}`]
  })
  return `${formatTime(time)}: ${parts.length === 0 ? 'no data' : parts.join(', ')}`
}
