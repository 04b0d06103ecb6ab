import type { BeatGrid } from '../api.ts'
import { clock } from '../jobs/job-labels.ts'

type Curve = NonNullable<BeatGrid['curve']>

const [width, height] = [600, 72]

/** Path of a curve in the drawing, from the slowest at the bottom to the fastest at the top. */
export function curvePath(curve: Curve): string {
  const [first, last] = [curve[0]?.at ?? 0, curve.at(-1)?.at ?? 0]
  const { slowest, fastest } = rangeOf(curve)
  return curve
    .map(({ at, bpm }, index) => {
      const x = (width * (at - first)) / Math.max(1e-9, last - first)
      const y = height - (height * (bpm - slowest)) / Math.max(1e-9, fastest - slowest)
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

/** Slowest and fastest tempo of a curve. */
export function rangeOf(curve: Curve): { slowest: number; fastest: number } {
  const tempi = curve.map(({ bpm }) => bpm)
  return { slowest: Math.min(...tempi), fastest: Math.max(...tempi) }
}

/** The tempo over time, of a sound whose tempo drifts. */
export function TempoCurve({ curve }: { curve: Curve }) {
  const { slowest, fastest } = rangeOf(curve)
  const text = `The tempo drifts between ${Math.round(slowest)} and ${Math.round(fastest)} BPM`
  return (
    <figure className="tempo-curve">
      <figcaption>{text}.</figcaption>
      <svg viewBox={`0 -4 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={curvePath(curve)} />
      </svg>
      <div className="tempo-curve-ends" aria-hidden="true">
        <span>{clock(curve[0]?.at ?? 0)}</span>
        <span>{clock(curve.at(-1)?.at ?? 0)}</span>
      </div>
    </figure>
  )
}
