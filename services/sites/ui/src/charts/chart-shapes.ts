/** The room a line has, in the units of its drawing. */
export interface Box {
  readonly width: number
  readonly height: number
}

/** The top of a scale: 1, 2 or 5 times a power of ten that no value passes; `least` without any. */
export function scaleTop(values: readonly number[], least = 1): number {
  const highest = Math.max(least, ...values)
  const power = 10 ** Math.floor(Math.log10(highest))
  const factor = [1, 2, 5, 10].find((step) => step * power >= highest) ?? 10
  return factor * power
}

/** A line of steps, one a value, from the left edge to the right; nothing is drawn where a value is missing. */
export function stepLine(values: readonly (number | null)[], box: Box, top: number): string {
  let isDown = false
  const parts = values.map((value, index) => {
    const wasDown = isDown
    isDown = value !== null
    if (value === null) return ''
    const y = heightOf(value / top, box)
    return `${wasDown ? `V${y}` : `M${edge(index, box, values.length)} ${y}`}H${edge(index + 1, box, values.length)}`
  })
  return parts.join('')
}

/** Steps that stand on each other, the first series at the bottom; every series has the same number of values. */
export function stackedSteps(series: readonly (readonly number[])[], box: Box, top: number): string[] {
  let floor: readonly number[] = (series[0] ?? []).map(() => 0)
  return series.map((values) => {
    const ceiling = floor.map((value, index) => value + (values[index] ?? 0))
    const there = stepLine(ceiling, box, top)
    const back = floor
      .map((value, index) => `V${heightOf(value / top, box)}H${edge(index, box, floor.length)}`)
      .toReversed()
    floor = ceiling
    return there === '' ? '' : `${there}${back.join('')}Z`
  })
}

const edge = (index: number, { width }: Box, count: number): number => round((index / count) * width)
const heightOf = (share: number, { height }: Box): number => round(height - Math.min(1, share) * height)
const round = (value: number): number => Math.round(value * 10) / 10
