import uPlot from 'uplot'
import { axisTicks, type PlotSeries } from './plot-shapes.ts'

interface PlotParts {
  readonly data: uPlot.AlignedData
  readonly series: readonly PlotSeries[]
  readonly format: (value: number) => string
  /** The bucket that is pointed at; undefined for none. */
  readonly onPoint: (place: number | undefined) => void
}

/** Draws into an element and follows its width until `stop`. Colours are those the element has now. */
export function drawPlot(element: HTMLElement, height: number, parts: PlotParts): { plot: uPlot; stop: () => void } {
  const colour = coloursOf(element)
  const plot = new uPlot(
    {
      width: Math.max(200, element.clientWidth),
      height,
      padding: [8, 6, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false }, focus: { prox: -1 } },
      scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(1, most) * 1.08] } },
      axes: [
        axis(colour),
        { ...axis(colour), size: 64, splits: yTicks, values: (_plot, ticks) => ticks.map(parts.format) },
      ],
      series: [{}, ...parts.series.map((series) => drawn(series, colour))],
      bands: parts.series.slice(1).map((_, place) => ({ series: [place + 1, place + 2] as [number, number] })),
      hooks: { setCursor: [({ cursor }) => parts.onPoint(cursor.idx ?? undefined)] },
    },
    parts.data,
    element,
  )
  const watcher = new ResizeObserver(() => plot.setSize({ width: Math.max(200, element.clientWidth), height }))
  watcher.observe(element)
  return {
    plot,
    stop() {
      watcher.disconnect()
      plot.destroy()
    },
  }
}

type Colour = (name: string) => string

function coloursOf(element: HTMLElement): Colour {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(name).trim()
}

function axis(colour: Colour): uPlot.Axis {
  return {
    stroke: colour('--mantine-color-dimmed'),
    font: `11px ${colour('--mantine-font-family')}`,
    grid: { stroke: colour('--hearth-line'), width: 1 },
    ticks: { show: false },
    gap: 6,
  }
}

const yTicks: uPlot.Axis.Splits = (...[, , , most]) => axisTicks(most)

/** Bars that begin where their bucket does. */
function drawn({ kind }: PlotSeries, colour: Colour): uPlot.Series {
  const fill = colour(`--plot-${kind}`)
  return {
    fill,
    stroke: fill,
    width: 0,
    points: { show: false },
    paths: (uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory)({ size: [0.8, 40], align: 1 }),
  }
}
