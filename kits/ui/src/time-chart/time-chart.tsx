import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { axisTicks, chartData, type ChartFigures, type ChartShape, describeBucket } from './chart-figures.ts'
import { ChartLegend, ChartTable } from './chart-table.tsx'
import './time-chart.css'

export { axisTicks, type ChartSeries, type ChartTone } from './chart-figures.ts'

/** Content and form of a chart. */
export interface TimeChartProps extends ChartFigures {
  /** Names the chart and its table. */
  readonly title: string
  /** The chart in a sentence; the bucket under the pointer replaces it. */
  readonly summary: string
  /** Stacked bars by default. */
  readonly shape?: ChartShape
  /** Values with a label on the axis, from the bottom to the highest; whole decimal numbers by default. */
  readonly ticks?: (maximum: number) => number[]
  readonly height?: number
  /** Buckets begin on boundaries of UTC. */
  readonly isUtc?: boolean
}

/**
 * Values over time as stacked bars or lines, drawn by uPlot. Dragging zooms in, a double-click zooms out. The same figures are
 * a table below, opened on request.
 */
export function TimeChart(props: TimeChartProps) {
  const { title, summary, times, series, format, formatTime } = props
  const caption = useRef<HTMLElement>(null)
  const scheme = useComputedColorScheme('light')
  const showBucket = (index: number | undefined) => {
    if (caption.current !== null)
      caption.current.textContent = index === undefined ? summary : describeBucket(props, index)
  }
  return (
    <figure className="time-chart">
      <figcaption ref={caption} className="chart-said">
        {summary}
      </figcaption>
      <ChartLegend series={series} />
      <Canvas
        key={[scheme, props.isUtc, ...series.map(({ name }) => name)].join(' ')}
        {...props}
        onPoint={showBucket}
      />
      <ChartTable title={title} times={times} series={series} format={format} formatTime={formatTime} />
    </figure>
  )
}

type CanvasProps = TimeChartProps & { readonly onPoint: (index: number | undefined) => void }

/** The drawing alone. It reads its colours when it is made, so a change of colours makes a new one. */
function Canvas(props: CanvasProps) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
    plot.current?.setData(chartData(props.times, props.series, props.shape))
  }, [props])
  useEffect(() => {
    const end = new AbortController()
    void draw({ holder, plot, latest }, end.signal)
    return () => end.abort()
  }, [])
  return <div ref={holder} className="chart-canvas" aria-hidden />
}

interface CanvasRefs {
  readonly holder: { readonly current: HTMLDivElement | null }
  readonly latest: { readonly current: CanvasProps }
  readonly plot: { current: uPlot | undefined }
}

/** Loads uPlot with the first chart; a chart that is gone by then is not drawn. */
async function draw({ holder, latest, plot }: CanvasRefs, end: AbortSignal): Promise<void> {
  const { drawChart } = await import('./draw-chart.ts')
  if (holder.current === null || end.aborted) return
  const { times, series, shape = 'bars', height = 180, isUtc = false } = latest.current
  const drawn = drawChart(holder.current, height, {
    data: chartData(times, series, shape),
    series,
    shape,
    isUtc,
    ticks: (maximum) => (latest.current.ticks ?? axisTicks)(maximum),
    format: (value) => latest.current.format(value),
    onPoint: (index) => latest.current.onPoint(index),
  })
  plot.current = drawn.plot
  end.addEventListener('abort', drawn.stop)
}
