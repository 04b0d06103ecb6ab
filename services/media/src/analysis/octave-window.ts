/** Tempi shown as they are; others are doubled or halved. */
export interface OctaveWindow {
  readonly slowest: number
  readonly fastest: number
}

/** The window when nobody chose another one, BPM. */
export const usualWindow: OctaveWindow = { slowest: 70, fastest: 180 }

/** A tempo this little outside stays, BPM: a track of 180 must not be 180 in one analysis and 90 in the next. */
const margin = { below: 2, above: 4 } as const

/**
 * By what to multiply a tempo to have it in the window: a power of two. The rounded tempo is compared, and a window narrower
 * than an octave leaves what would jump across it.
 */
export function foldingFactor(bpm: number, window: OctaveWindow = usualWindow): number {
  const least = window.slowest - margin.below
  const most = window.fastest + margin.above
  const isInside = (factor: number) => Math.round(bpm * factor) >= least && Math.round(bpm * factor) <= most
  return [1, 2, 0.5, 4, 0.25].find(isInside) ?? 1
}
