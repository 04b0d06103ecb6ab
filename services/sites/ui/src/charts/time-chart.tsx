import { type PointerEvent, useState } from 'react'
import { type Box, stepLine, scaleTop, stackedSteps } from './chart-shapes.ts'
import './charts.css'

/** Values of one kind over the time of a chart. */
export interface Series {
  /** Which colour it has; see `charts.css`. */
  readonly kind: string
  readonly name: string
  readonly values: readonly (number | null)[]
}

interface TimeChartProps {
  /** What is drawn, in a sentence for whoever does not see it; also stands above until a moment is pointed at. */
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly Series[]
  /** Areas on each other instead of lines. */
  readonly isStacked?: boolean
  readonly format: (value: number) => string
  readonly formatTime: (time: string) => string
  readonly least?: number
}

const box: Box = { width: 600, height: 140 }

/** Values over time. A moment that is pointed at is told in words above. */
export function TimeChart(props: TimeChartProps) {
  const { summary, times, series, isStacked = false, format, formatTime, least = 1 } = props
  const [chosen, choose] = useState<number>()
  const top = scaleTop(isStacked ? sums(series) : series.flatMap(({ values }) => known(values)), least)
  const areas = isStacked
    ? stackedSteps(
        series.map(({ values }) => values.map((value) => value ?? 0)),
        box,
        top,
      )
    : []
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    choose(Math.max(0, Math.min(times.length - 1, Math.floor(((event.clientX - left) / width) * times.length))))
  }
  return (
    <figure className="time-chart">
      <figcaption className="chart-said">
        {chosen === undefined ? summary : saidAt(props, chosen, formatTime(times[chosen] ?? ''))}
      </figcaption>
      <div className="time-chart-plot">
        <span className="time-chart-top">{format(top)}</span>
        <svg
          viewBox={`0 0 ${box.width} ${box.height}`}
          preserveAspectRatio="none"
          aria-hidden
          onPointerMove={point}
          onPointerLeave={() => choose(undefined)}
        >
          {series.map(({ kind, values }, place) =>
            isStacked ? (
              <path key={kind} d={areas[place]} className="chart-area" data-kind={kind} />
            ) : (
              <path key={kind} d={stepLine(values, box, top)} className="chart-line" data-kind={kind} />
            ),
          )}
          {chosen !== undefined && <ChosenLine share={(chosen + 0.5) / Math.max(1, times.length)} />}
        </svg>
      </div>
      <div className="time-chart-times" aria-hidden>
        {[0, Math.floor((times.length - 1) / 2), times.length - 1].map((place, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- three fixed places
          <span key={index}>{times[place] === undefined ? '' : formatTime(times[place])}</span>
        ))}
      </div>
    </figure>
  )
}

function ChosenLine({ share }: { share: number }) {
  const x = share * box.width
  return <line className="chart-chosen" x1={x} x2={x} y1={0} y2={box.height} />
}

function saidAt({ series, format }: TimeChartProps, place: number, time: string): string {
  const parts = series.flatMap(({ name, values }) => {
    const value = values[place]
    return value === null || value === undefined ? [] : [`${name} ${format(value)}`]
  })
  return `${time}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

const sums = (series: readonly Series[]): number[] =>
  (series[0]?.values ?? []).map((_, place) => series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0))
