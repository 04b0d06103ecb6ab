import type { BeatGrid } from '../api.ts'

type Beats = Pick<BeatGrid, 'beats' | 'downbeats'>

/** Lines at beats, in seconds, as a path one unit high: of those that begin a bar, and of the others. */
export function beatPaths({ beats, downbeats }: Beats): { bars: string; beats: string } {
  const first = new Set(downbeats)
  const line = (seconds: number) => `M${seconds} 0V1`
  const isBar = (_: number, index: number) => first.has(index)
  return {
    bars: beats.filter(isBar).map(line).join(''),
    beats: beats
      .filter((beat, index) => !isBar(beat, index))
      .map(line)
      .join(''),
  }
}

/** Mean distance of neighbouring times, seconds; infinite for fewer than two. */
export function meanInterval(times: readonly number[]): number {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined || times.length < 2) return Number.POSITIVE_INFINITY
  return (last - first) / (times.length - 1)
}

const svg = 'http://www.w3.org/2000/svg'
/** Lines closer than this, in pixels, would be a grey wash. */
const leastDistance = 7

/** Lines over a sound, where its beats are and, stronger, where its bars begin. They are as wide as what they are laid on. */
export class BeatLines {
  readonly drawing = document.createElementNS(svg, 'svg')
  readonly #layers: readonly { readonly line: SVGPathElement; readonly interval: number }[]

  constructor(grid: Beats, duration: number) {
    const paths = beatPaths(grid)
    this.drawing.setAttribute('viewBox', `0 0 ${duration} 1`)
    this.drawing.setAttribute('preserveAspectRatio', 'none')
    this.drawing.setAttribute('aria-hidden', 'true')
    this.drawing.setAttribute('style', 'width:100%;height:100%')
    const bars = grid.downbeats.map((index) => grid.beats[index] ?? 0)
    this.#layers = [
      { line: this.#add(paths.beats, 14), interval: meanInterval(grid.beats) },
      { line: this.#add(paths.bars, 34), interval: meanInterval(bars) },
    ]
  }

  #add(path: string, strength: number): SVGPathElement {
    const line = document.createElementNS(svg, 'path')
    line.setAttribute('d', path)
    line.setAttribute('vector-effect', 'non-scaling-stroke')
    line.setAttribute('style', `stroke:color-mix(in srgb, var(--mantine-color-text) ${strength}%, transparent)`)
    this.drawing.append(line)
    return line
  }

  /** Shows the lines that have room at so many pixels a second; none at 0. */
  fit(pixels: number): void {
    for (const { line, interval } of this.#layers)
      line.setAttribute('visibility', interval * pixels >= leastDistance ? 'visible' : 'hidden')
  }
}
