/** A line as an SVG path over a box, and the value at the top of the box. */
export interface SparkLine {
  path: string
  area: string
  top: number
}

/** A line of values over a box, newest at the right edge; fewer than two values give no line. */
export function sparkPath(
  values: readonly number[],
  box: { width: number; height: number; slots: number },
  top: number,
): SparkLine {
  if (values.length < 2) return { path: '', area: '', top }
  const step = box.width / (box.slots - 1)
  const left = box.width - step * (values.length - 1)
  const points = values.map((value, index) => {
    const y = box.height - (Math.min(value, top) / top) * box.height
    return `${round(left + index * step)} ${round(y)}`
  })
  const path = `M${points.join('L')}`
  return { path, area: `${path}L${box.width} ${box.height}L${round(left)} ${box.height}Z`, top }
}

/** The top of the scale: the power of two, at least 1 KiB, that no value passes; it changes rarely. */
export function scaleTop(values: readonly number[]): number {
  const highest = Math.max(1024, ...values)
  return 2 ** Math.ceil(Math.log2(highest))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
