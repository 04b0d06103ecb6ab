/** Draws values over a box as an SVG path, and the area below it; newest at the right edge. Fewer than two give no line. */
export function sparkPath(
  values: readonly number[],
  box: { width: number; height: number; slots: number },
  top: number,
): { path: string; area: string } {
  if (values.length < 2) return { path: '', area: '' }
  const step = box.width / (box.slots - 1)
  const left = box.width - step * (values.length - 1)
  const points = values.map((value, index) => {
    const y = box.height - (Math.min(value, top) / top) * box.height
    return `${round(left + index * step)} ${round(y)}`
  })
  const path = `M${points.join('L')}`
  return { path, area: `${path}L${box.width} ${box.height}L${round(left)} ${box.height}Z` }
}

/** The top of the scale: the power of two, at least 1 KiB, that no value passes; it changes rarely. */
export function scaleTop(values: readonly number[]): number {
  const highest = Math.max(1024, ...values)
  return 2 ** Math.ceil(Math.log2(highest))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
