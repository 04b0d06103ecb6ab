import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'

/**
 * Draws `watermark.png`, the picture laid over videos while there is no logo of one's own: a flame and the word HEARTH on a
 * dark, translucent badge with round ends. Run by hand after a change: `node assets/draw-watermark.ts`.
 */

type Point = readonly [x: number, y: number]

/** Of the picture, pixels; the drawing's own unit is the height. */
const height = 192
const ratio = 3.4
/** Points looked at in each direction of a pixel. */
const fineness = 4

/** Distance of a point from a line with round ends. */
function distanceToLine([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - ax - along * dx, y - ay - along * dy)
}

/** Lines of each letter in a box of width 0.7 and height 1. */
const letters: Record<string, readonly (readonly Point[])[]> = {
  H: [
    [
      [0, 0],
      [0, 1],
    ],
    [
      [0.62, 0],
      [0.62, 1],
    ],
    [
      [0, 0.5],
      [0.62, 0.5],
    ],
  ],
  E: [
    [
      [0.55, 0],
      [0, 0],
      [0, 1],
      [0.55, 1],
    ],
    [
      [0, 0.5],
      [0.46, 0.5],
    ],
  ],
  A: [
    [
      [0, 1],
      [0.34, 0],
      [0.68, 1],
    ],
    [
      [0.13, 0.64],
      [0.55, 0.64],
    ],
  ],
  R: [
    [
      [0, 1],
      [0, 0],
      [0.36, 0],
      [0.53, 0.08],
      [0.6, 0.26],
      [0.53, 0.44],
      [0.36, 0.52],
      [0, 0.52],
    ],
    [
      [0.3, 0.52],
      [0.6, 1],
    ],
  ],
  T: [
    [
      [0, 0],
      [0.68, 0],
    ],
    [
      [0.34, 0],
      [0.34, 1],
    ],
  ],
}

function isInWord([x, y]: Point): boolean {
  const size = 0.36
  const word = ['H', 'E', 'A', 'R', 'T', 'H']
  return word.some((letter, index) => {
    const place: Point = [(x - 1.06 - index * 0.352) / size, (y - 0.32) / size]
    return (letters[letter] ?? []).some((line) =>
      line.slice(1).some((end, from) => distanceToLine(place, line[from] ?? end, end) < 0.085),
    )
  })
}

/** A drop with its tip up: a circle below, and two arcs that meet above it. */
function isInDrop([x, y]: Point, { centre, radius, tip }: { centre: Point; radius: number; tip: Point }): boolean {
  const [cx, cy] = centre
  if (y >= cy) return Math.hypot(x - cx, y - cy) < radius
  if (y < tip[1]) return false
  const rise = (cy - y) / (cy - tip[1])
  const middle = cx + (tip[0] - cx) * rise ** 2
  return Math.abs(x - middle) < radius * (1 - rise) ** 0.62 * Math.sqrt(1 + rise * 0.35)
}

function isInFlame(point: Point): boolean {
  const outer = isInDrop(point, { centre: [0.62, 0.585], radius: 0.225, tip: [0.66, 0.15] })
  const inner = isInDrop(point, { centre: [0.62, 0.66], radius: 0.1, tip: [0.6, 0.42] })
  return outer && !inner
}

/** The badge's own distance from its edge, negative within. */
function depthInBadge([x, y]: Point): number {
  const inset = 0.02
  const radius = 0.5 - inset
  return Math.hypot(Math.max(0, 0.5 - x, x - (ratio - 0.5)), y - 0.5) - radius
}

function shadeAt(point: Point): { light: number; alpha: number } {
  if (isInFlame(point) || isInWord(point)) return { light: 255, alpha: 0.92 }
  return depthInBadge(point) < 0 ? { light: 16, alpha: 0.5 } : { light: 16, alpha: 0 }
}

function pixelAt(column: number, row: number): { light: number; alpha: number } {
  let alpha = 0
  let light = 0
  for (let index = 0; index < fineness ** 2; index += 1) {
    const x = (column + ((index % fineness) + 0.5) / fineness) / height
    const y = (row + (Math.floor(index / fineness) + 0.5) / fineness) / height
    const shade = shadeAt([x, y])
    alpha += shade.alpha
    light += shade.light * shade.alpha
  }
  return { light: alpha === 0 ? 0 : Math.round(light / alpha), alpha: Math.round((alpha / fineness ** 2) * 255) }
}

const picture = new PNG({ width: Math.round(height * ratio), height })
for (let row = 0; row < picture.height; row += 1)
  for (let column = 0; column < picture.width; column += 1) {
    const { light, alpha } = pixelAt(column, row)
    picture.data.set([light, light, light, alpha], (row * picture.width + column) * 4)
  }
writeFileSync(join(import.meta.dirname, 'watermark.png'), PNG.sync.write(picture, { colorType: 6, deflateLevel: 9 }))
