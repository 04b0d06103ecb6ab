import uPlot from 'uplot'
import { type ChartSeries, type ChartShape, timeLabels } from './chart-figures.ts'

interface Drawing {
  readonly data: uPlot.AlignedData
  readonly series: readonly ChartSeries[]
  readonly shape: ChartShape
  readonly ticks: (maximum: number) => number[]
  readonly format: (value: number) => string
  /** Buckets begin on boundaries of UTC. */
  readonly isUtc: boolean
  /** Bucket under the pointer; undefined for none. */
  readonly onPoint: (index: number | undefined) => void
}

/** Draws into an element and follows its width until `stop`. Colours are those the element has now. */
export function drawChart(element: HTMLElement, height: number, drawing: Drawing): { plot: uPlot; stop: () => void } {
  const widthOf = () => Math.max(200, element.clientWidth)
  const size = { width: widthOf(), height }
  const plot = new uPlot({ ...size, ...optionsFor(drawing, coloursOf(element)) }, drawing.data, element)
  const watcher = new ResizeObserver(() => plot.setSize({ width: widthOf(), height }))
  watcher.observe(element)
  return {
    plot,
    stop() {
      watcher.disconnect()
      plot.destroy()
    },
  }
}

function optionsFor(drawing: Drawing, colour: Colour): Omit<uPlot.Options, 'width' | 'height'> {
  const { isUtc, format, ticks, series, shape } = drawing
  const lines = series.map((one) => drawnSeries(one, shape, colour(`--chart-${one.tone}`)))
  return {
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
    tzDate: (seconds) => (isUtc ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000)),
    scales: {
      x: { time: true, range: withLastBucket },
      y: { range: (...[, , maximum]) => [0, Math.max(topOf(ticks, maximum), maximum * 1.08)] },
    },
    axes: [
      { ...axis(colour), size: 28, space: 64, values: (_plot, at) => timeLabels(at, isUtc) },
      {
        ...axis(colour),
        size: 64,
        splits: (...[, , , maximum]) => ticks(maximum),
        values: (_plot, at) => at.map(format),
      },
    ],
    // In the order of the data: of bars the tallest first, those within it drawn over it.
    series: [{}, ...(shape === 'bars' ? lines.toReversed() : lines)],
    hooks: { setCursor: [({ cursor }) => drawing.onPoint(cursor.idx ?? undefined)] },
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

/** Top of a scale: its highest label, or 1 without any value. */
function topOf(ticks: Drawing['ticks'], maximum: number): number {
  return ticks(maximum).at(-1) || 1
}

/** A bucket extends to the right of its time, so the last one needs room. */
const withLastBucket: uPlot.Range.Function = (plot, from, to) => {
  const [times = []] = plot.data
  if (times.length < 2 || times.at(-1) !== to) return [from, to]
  return [from, to + lastStep(times)]
}

const lastStep = (times: ArrayLike<number>): number => (times[times.length - 1] ?? 0) - (times[times.length - 2] ?? 0)

function drawnSeries({ isDashed }: ChartSeries, shape: ChartShape, colour: string): uPlot.Series {
  if (shape === 'bars') return { fill: colour, stroke: colour, width: 0, points: { show: false }, paths: bars }
  const dash = isDashed === true ? { dash: [5, 4] } : {}
  return { stroke: colour, width: 2, points: { show: false }, paths: steps, ...dash }
}

const barsOfSize = uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory
const apart = barsOfSize({ size: [0.8, 40], align: 1 })
const touching = barsOfSize({ size: [1, 40], align: 1 })
/** Gaps between bars narrower than this many pixels would be drawn as a pattern. */
const narrowBar = 6

type PathArguments = Parameters<uPlot.Series.PathBuilder>

/** Bars that begin where their bucket does. */
const bars: uPlot.Series.PathBuilder = (...parameters: PathArguments) => {
  const [plot, , from, to] = parameters
  const width = plot.bbox.width / devicePixelRatio / Math.max(1, to - from + 1)
  return (width < narrowBar ? touching : apart)(...parameters)
}

/** A stroke over each bucket, joined to its neighbour's; a value between gaps is drawn too. */
const steps: uPlot.Series.PathBuilder = (...[plot, index, from, to]: PathArguments) => {
  const [times = []] = plot.data
  const values = plot.data[index] ?? []
  const scale = plot.series[index]?.scale ?? 'y'
  const x = (at: number) => plot.valToPos(times[at] ?? (times[at - 1] ?? 0) + lastStep(times), 'x', true)
  const stroke = new Path2D()
  let isDown = false
  for (let at = from; at <= to; at += 1) {
    const value = values[at] ?? null
    if (value !== null) {
      const y = plot.valToPos(value, scale, true)
      if (isDown) stroke.lineTo(x(at), y)
      else stroke.moveTo(x(at), y)
      stroke.lineTo(x(at + 1), y)
    }
    isDown = value !== null
  }
  return { stroke }
}
