import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { PlotLegend, PlotTable } from './plot-parts.tsx'
import { barLayout, pointedWords, type PlotSeries } from './plot-shapes.ts'
import './charts.css'

interface TimePlotProps {
  /** Names the picture. */
  readonly title: string
  /** What is drawn, in a sentence for whoever does not see it. */
  readonly summary: string
  /** Where each bucket begins, ISO 8601, oldest first. */
  readonly times: readonly string[]
  readonly series: readonly PlotSeries[]
  readonly format: (value: number) => string
  /** A bucket's time in full, for the table and the moment that is pointed at. */
  readonly formatTime: (time: string) => string
  readonly height?: number
  /** Buckets begin on boundaries of UTC. */
  readonly isUtc?: boolean
  /** Values are bytes, so that a scale goes in steps of 1024. */
  readonly isBinary?: boolean
}

/**
 * Values over time as bars, drawn by uPlot. Drag to look closer, double-click to go back. The same figures are a table below,
 * opened on request.
 */
export function TimePlot(props: TimePlotProps) {
  const { title, summary, times, series, format, formatTime } = props
  const said = useRef<HTMLElement>(null)
  const scheme = useComputedColorScheme('light')
  const say = (place: number | undefined) => {
    if (said.current !== null) said.current.textContent = place === undefined ? summary : pointedWords(props, place)
  }
  return (
    <figure className="time-plot">
      <figcaption ref={said} className="plot-said">
        {summary}
      </figcaption>
      <PlotLegend series={series} />
      <Canvas key={[scheme, props.isUtc, ...series.map(({ kind }) => kind)].join(' ')} {...props} onPoint={say} />
      <PlotTable title={title} times={times} series={series} format={format} formatTime={formatTime} />
    </figure>
  )
}

type CanvasProps = TimePlotProps & { readonly onPoint: (place: number | undefined) => void }

/** The picture alone; it takes its colours when it is made, so it is made anew when they change. */
function Canvas(props: CanvasProps) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
    plot.current?.setData(barLayout(props.times, props.series))
  }, [props])
  useEffect(() => {
    const end = new AbortController()
    void draw({ holder, plot, latest }, end.signal)
    return () => end.abort()
  }, [])
  return <div ref={holder} className="plot-canvas" aria-hidden />
}

interface CanvasRefs {
  readonly holder: { readonly current: HTMLDivElement | null }
  readonly latest: { readonly current: CanvasProps }
  readonly plot: { current: uPlot | undefined }
}

/** uPlot is read when the first picture is; who leaves before that gets none. */
async function draw({ holder, latest, plot }: CanvasRefs, end: AbortSignal): Promise<void> {
  const { drawPlot } = await import('./draw-plot.ts')
  if (holder.current === null || end.aborted) return
  const { times, series, height = 180, isUtc = false, isBinary = false } = latest.current
  const drawn = drawPlot(holder.current, height, {
    data: barLayout(times, series),
    series,
    isUtc,
    isBinary,
    format: (value) => latest.current.format(value),
    onPoint: (place) => latest.current.onPoint(place),
  })
  plot.current = drawn.plot
  end.addEventListener('abort', drawn.stop)
}
