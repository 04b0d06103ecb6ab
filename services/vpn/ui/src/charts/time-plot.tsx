import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
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
}

/**
 * Values over time as bars, drawn by uPlot. Drag to look closer, double-click to go back. The same figures are a table below,
 * opened on request.
 */
export function TimePlot(props: TimePlotProps) {
  const { title, summary, times, series, format, formatTime } = props
  const said = useRef<HTMLElement>(null)
  const holder = usePlot(props, (place) => {
    if (said.current === null) return
    said.current.textContent = place === undefined ? summary : pointedWords(props, place)
  })
  return (
    <figure className="time-plot">
      <figcaption ref={said} className="plot-said">
        {summary}
      </figcaption>
      <PlotLegend series={series} />
      <div ref={holder} className="plot-canvas" role="img" aria-label={`${title}. ${summary}`} />
      <PlotTable title={title} times={times} series={series} format={format} formatTime={formatTime} />
    </figure>
  )
}

/** Keeps one plot in an element: made anew when its shape or the colours change, given new figures otherwise. */
function usePlot(props: TimePlotProps, onPoint: (place: number | undefined) => void) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const scheme = useComputedColorScheme('light')
  const { times, series, height = 180 } = props
  const data = useMemo(() => barLayout(times, series), [times, series])
  const latest = useRef({ props, onPoint, data })
  useEffect(() => {
    latest.current = { props, onPoint, data }
    plot.current?.setData(data)
  })
  const shape = series.map(({ kind }) => kind).join(' ')
  useEffect(() => {
    const element = holder.current
    if (element === null) return undefined
    let isGone = false
    let stop: (() => void) | undefined
    void import('./draw-plot.ts').then(({ drawPlot }) => {
      if (isGone) return
      const drawn = drawPlot(element, height, {
        data: latest.current.data,
        series: latest.current.props.series,
        format: (value) => latest.current.props.format(value),
        onPoint: (place) => latest.current.onPoint(place),
      })
      plot.current = drawn.plot
      stop = drawn.stop
    })
    return () => {
      isGone = true
      stop?.()
      plot.current = undefined
    }
  }, [shape, scheme, height])
  return holder
}
