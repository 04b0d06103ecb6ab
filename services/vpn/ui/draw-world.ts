/**
 * Draws the map of the world for the page on geography: reads the countries of world-atlas (Natural Earth, public domain) and
 * writes `src/traffic/world.gen.ts`. By hand, after a change of world-atlas: `node services/vpn/ui/draw-world.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

type Point = [number, number]

interface Country {
  id?: string
  type: 'Polygon' | 'MultiPolygon' | null
  arcs?: number[][] | number[][][]
  properties: { name: string }
}

interface Topology {
  arcs: Point[][]
  transform: { scale: Point; translate: Point }
  objects: { countries: { geometries: Country[] } }
}

const box = { width: 1000, height: 507 }
/** Antarctica is nobody's traffic and would take a fifth of the picture. */
const leftOut = new Set(['AQ'])
/** Places without a number of their own in the data. */
const codesByName: Readonly<Record<string, string>> = { Kosovo: 'XK' }
const require = createRequire(import.meta.url)

function readTopology(name: string): Topology {
  return JSON.parse(readFileSync(require.resolve(`world-atlas/${name}.json`), 'utf8')) as Topology
}

/** ISO 3166-1 alpha-2 of a numeric code: the runtime's own tables know it. */
function codeOf({ id, properties }: Country): string {
  if (id === undefined) return codesByName[properties.name] ?? ''
  return new Intl.Locale(Intl.getCanonicalLocales(`und-${id.padStart(3, '0')}`)[0] ?? 'und').region ?? ''
}

/** Points of an arc in degrees; the file holds differences. */
function degreesOf({ arcs, transform }: Topology): Point[][] {
  const { scale, translate } = transform
  return arcs.map((arc) => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]): Point => {
      x += dx
      y += dy
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
}

function ringsOf(country: Country, arcs: readonly Point[][]): Point[][] {
  const polygons = country.type === 'Polygon' ? [country.arcs as number[][]] : ((country.arcs ?? []) as number[][][])
  return polygons.flat().map((ring) =>
    ring.flatMap((number, place) => {
      const points = number < 0 ? (arcs[~number] ?? []).toReversed() : (arcs[number] ?? [])
      return place === 0 ? points : points.slice(1)
    }),
  )
}

/** Natural Earth projection (Tom Patterson), the polynomials of Bojan Šavrič and others, 2011. */
function project([longitude, latitude]: Point): Point {
  const phi = (latitude * Math.PI) / 180
  const squared = phi * phi
  const fourth = squared * squared
  const x =
    ((longitude * Math.PI) / 180) *
    (0.8707 - 0.131979 * squared + fourth * (-0.013791 + fourth * (0.003971 * squared - 0.001529 * fourth)))
  const y = phi * (1.007226 + squared * (0.015085 + fourth * (-0.044475 + 0.028874 * squared - 0.005916 * fourth)))
  const scale = box.width / (2 * Math.PI * 0.8707)
  return [round(box.width / 2 + x * scale), round(box.height * 0.53 - y * scale)]
}

/**
 * A ring that crosses the date line goes on beyond the edge of the map instead of jumping to the other one, and comes a second
 * time from there: the frame of the picture cuts off what is outside.
 */
function unwrapped(ring: readonly Point[]): Point[][] {
  let turns = 0
  const points = ring.map(([longitude, latitude], place): Point => {
    const before = ring[place - 1]?.[0] ?? longitude
    if (longitude - before > 180) turns -= 360
    if (longitude - before < -180) turns += 360
    return [longitude + turns, latitude]
  })
  const most = Math.max(...points.map(([longitude]) => longitude))
  const least = Math.min(...points.map(([longitude]) => longitude))
  const shifted = (by: number) => points.map(([longitude, latitude]): Point => [longitude + by, latitude])
  return [points, ...(most > 180.5 ? [shifted(-360)] : []), ...(least < -180.5 ? [shifted(360)] : [])]
}

const round = (value: number): number => Math.round(value * 10) / 10

/** A path with differences, which are shorter; points that fall together are left out. */
function pathOf(rings: readonly Point[][]): string {
  return rings
    .flatMap(unwrapped)
    .map((ring) => ring.map(project))
    .map((ring) =>
      ring.filter(([x, y], place) => place === 0 || x !== ring[place - 1]?.[0] || y !== ring[place - 1]?.[1]),
    )
    .filter((ring) => ring.length > 3)
    .map((ring) => {
      const steps = ring.slice(1, -1).map(([x, y], place) => {
        const [fromX, fromY] = ring[place] ?? [0, 0]
        return `${round(x - fromX)} ${round(y - fromY)}`
      })
      return `M${ring[0]?.join(' ')}l${steps.join(' ')}z`.replaceAll(' -', '-')
    })
    .join('')
}

/** Middle of the biggest ring, for countries too small to be drawn. */
function middleOf(rings: readonly Point[][]): Point {
  const [ring = []] = rings.toSorted((one, other) => other.length - one.length)
  const middle = (axis: 0 | 1) =>
    (Math.min(...ring.map((at) => at[axis])) + Math.max(...ring.map((at) => at[axis]))) / 2
  return project([middle(0), middle(1)])
}

const coarse = readTopology('countries-110m')
const fine = readTopology('countries-50m')
const coarseArcs = degreesOf(coarse)
const fineArcs = degreesOf(fine)
const shapes = coarse.objects.countries.geometries
  .map((country) => ({ code: codeOf(country), path: pathOf(ringsOf(country, coarseArcs)) }))
  .filter(({ code }) => !leftOut.has(code))
const drawn = new Set(shapes.map(({ code }) => code))
const dots = fine.objects.countries.geometries
  .map((country) => ({ code: codeOf(country), at: middleOf(ringsOf(country, fineArcs)) }))
  .filter(({ code }) => code !== '' && !drawn.has(code) && !leftOut.has(code))

/** The edge of the world: what goes on beyond it is cut off there. */
const edge = Array.from({ length: 37 }, (_, step) => step * 5 - 90)
const outline = [
  ...edge.map((latitude) => project([180, latitude])),
  ...edge.toReversed().map((latitude) => project([-180, latitude])),
]

const text = `// Written by draw-world.ts from world-atlas (Natural Earth, public domain); not edited by hand.

/** The room of the map, in the units of its drawing. */
export const worldBox = { width: ${box.width}, height: ${box.height} } as const

/** The edge of the world, as a path. */
export const worldOutline = 'M${outline.map((point) => point.join(' ')).join('L')}Z'

/** Countries by ISO 3166-1 alpha-2, '' for land of disputed standing. */
export const countryShapes: readonly (readonly [code: string, path: string])[] = [
${shapes.map(({ code, path }) => `  ['${code}', '${path}'],`).join('\n')}
]

/** Countries too small for a shape, and where they are. */
export const countryDots: readonly (readonly [code: string, x: number, y: number])[] = [
${dots.map(({ code, at: [x, y] }) => `  ['${code}', ${x}, ${y}],`).join('\n')}
]
`
writeFileSync(join(import.meta.dirname, 'src/traffic/world.gen.ts'), text)
