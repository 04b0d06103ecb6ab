import uPlot from 'uplot'
import { axisTicks, type PlotSeries, timeLabels } from './plot-shapes.ts'

interface PlotParts {
  readonly data: uPlot.AlignedData
  readonly series: readonly PlotSeries[]
  readonly format: (value: number) => string
  /** Buckets begin on boundaries of UTC. */
  readonly isUtc: boolean
  /** Values are bytes. */
  readonly isBinary: boolean
  /** The bucket that is pointed at; undefined for none. */
  readonly onPoint: (place: number | undefined) => void
}

/** Draws into an element and follows its width until `stop`. Colours are those the element has now. */
export function drawPlot(element: HTMLElement, height: number, parts: PlotParts): { plot: uPlot; stop: () => void } {
  const colour = coloursOf(element)
  const { isUtc, isBinary, format } = parts
  const plot = new uPlot(
    {
      width: Math.max(200, element.clientWidth),
      height,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
      tzDate: (seconds) => (isUtc ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000)),
      scales: { x: { time: true, range: withLastBar }, y: { range: (...[, , most]) => [0, Math.max(1, most) * 1.08] } },
      axes: [
        { ...axis(colour), size: 28, space: 64, values: (_plot, ticks) => timeLabels(ticks, isUtc) },
        {
          ...axis(colour),
          size: 64,
          splits: (...[, , , most]) => axisTicks(most, isBinary ? 1024 : 1000),
          values: (_plot, ticks) => ticks.map(format),
        },
      ],
      // As the data: the tallest first, those in it drawn over it.
      series: [{}, ...parts.series.toReversed().map((series) => drawn(series, colour))],
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

/** A bar begins where its bucket does, so the last one needs room behind the last moment. */
const withLastBar: uPlot.Range.Function = (plot, from, to) => {
  const [times = []] = plot.data
  const [first, second, last] = [times[0], times[1], times.at(-1)]
  if (first === undefined || second === undefined || last !== to) return [from, to]
  return [from, to + second - first]
}

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
