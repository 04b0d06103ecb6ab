/** A round top for values from zero, and the lines under it: 1, 2 or 5 times a power of ten apart. */
export function scaleOf(values: readonly number[]): { top: number; lines: number[] } {
  const highest = Math.max(1, ...values)
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough)
  const count = Math.ceil(highest / step)
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, line) => line * step) }
}

/** Clusters from the slowest to the fastest, with the empty ones between them. */
export function filledClusters(
  clusters: readonly { bpm: number; count: number }[],
  width = 5,
): { bpm: number; count: number }[] {
  if (clusters.length === 0) return []
  const known = new Map(clusters.map(({ bpm, count }) => [bpm, count]))
  const [slowest, fastest] = [Math.min(...known.keys()), Math.max(...known.keys())]
  const length = Math.floor((fastest - slowest) / width) + 1
  return Array.from({ length }, (_, place) => {
    const bpm = slowest + place * width
    return { bpm, count: known.get(bpm) ?? 0 }
  })
}
