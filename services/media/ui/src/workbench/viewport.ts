/** What of a sound is on the screen. */
export interface Viewport {
  /** Time at the left edge, seconds. */
  readonly start: number
  /** Pixels a second. */
  readonly scale: number
  /** Pixels. */
  readonly width: number
  readonly duration: number
}

const maxScale = 1000

/** Scale at which the whole sound is on the screen. */
export const fitScale = ({ width, duration }: Pick<Viewport, 'width' | 'duration'>): number =>
  Math.max(1, width) / Math.max(0.001, duration)

/** Returns the viewport with everything in its bounds. */
export function bounded(view: Viewport): Viewport {
  const scale = Math.min(Math.max(view.scale, fitScale(view)), Math.max(maxScale, fitScale(view)))
  const start = Math.min(Math.max(0, view.start), Math.max(0, view.duration - view.width / scale))
  return { ...view, scale, start }
}

/** The viewport that shows everything. */
export const fitted = (view: Pick<Viewport, 'width' | 'duration'>): Viewport =>
  bounded({ ...view, start: 0, scale: fitScale(view) })

/** The viewport scrolled by so many pixels. */
export const scrolled = (view: Viewport, pixels: number): Viewport =>
  bounded({ ...view, start: view.start + pixels / view.scale })

/** The viewport with another scale; what is at `x` stays there. */
export function zoomed(view: Viewport, factor: number, x: number): Viewport {
  const anchor = timeAt(view, x)
  const { scale } = bounded({ ...view, scale: view.scale * factor })
  return bounded({ ...view, scale, start: anchor - x / scale })
}

/** The viewport in which a time can be seen; the same one when it is seen already. */
export function revealed(view: Viewport, seconds: number): Viewport {
  const x = xOf(view, seconds)
  return x >= 0 && x <= view.width ? view : bounded({ ...view, start: seconds - view.width / view.scale / 10 })
}

export const timeAt = ({ start, scale }: Viewport, x: number): number => start + x / scale
export const xOf = ({ start, scale }: Viewport, seconds: number): number => (seconds - start) * scale

/** Steps of a scale of time, seconds. */
const steps = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]

/** Seconds between two marks that are at least so many pixels apart. */
export const markStep = (scale: number, pixels: number): number => steps.find((step) => step * scale >= pixels) ?? 7200
