import { formatDay, formatTime } from '@hearth/ui/format-time'
/** Values of one kind over time. */
export interface PlotSeries {
  /** Which colour it has, `--plot-<kind>` in `charts.css`. */
  readonly kind: string
  readonly name: string
  readonly values: readonly number[]
}

type Figures = [number[], ...number[][]]

/**
 * The series as they are drawn: stacked, the first at the bottom. The tallest comes first, because later ones are drawn over
 * it. Times are seconds since the epoch.
 */
export function barLayout(times: readonly string[], series: readonly PlotSeries[]): Figures {
  let ceiling = times.map(() => 0)
  const stacked = series.map(({ values }) => {
    ceiling = ceiling.map((value, place) => value + (values[place] ?? 0))
    return ceiling
  })
  return [times.map((time) => Date.parse(time) / 1000), ...stacked.toReversed()]
}

/** Round numbers from 0 to the top of a scale, in steps of 1, 2 or 5 times a power of ten of a unit; five at most. */
export function axisTicks(most: number, thousand: 1000 | 1024): number[] {
  const unit = most >= thousand ? thousand ** Math.floor(Math.log(most) / Math.log(thousand)) : 1
  const rough = most / unit / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, Number.EPSILON)))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10
  const step = Math.max(factor * power * unit, 1)
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, place) => place * step)
}

/** Moments (seconds since the epoch) along an axis: the time of the day, or the day where one begins or where days are far apart. */
export function timeLabels(ticks: readonly number[], isUtc: boolean): string[] {
  const zone = isUtc ? ({ timeZone: 'UTC' } as const) : {}
  const isDaily = (ticks[1] ?? 0) - (ticks[0] ?? 0) >= 86_000
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1000)
    const isMidnight = isUtc ? seconds % 86_400 === 0 : at.getHours() === 0 && at.getMinutes() === 0
    return isDaily || isMidnight ? formatDay(at, zone) : formatTime(at, zone)
  })
}

/** A bucket in words: its time, and each value with its name. */
export function pointedWords(
  chart: {
    times: readonly string[]
    series: readonly PlotSeries[]
    format: (value: number) => string
    formatTime: (time: string) => string
  },
  place: number,
): string {
  const time = chart.times[place]
  if (time === undefined) return ''
  const parts = chart.series.map(({ name, values }) => `${name} ${chart.format(values[place] ?? 0)}`)
  return `${chart.formatTime(time)}: ${parts.join(', ')}`
}
