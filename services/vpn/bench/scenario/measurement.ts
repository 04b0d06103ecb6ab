/** Result of a series of measurements, milliseconds: medians over the rounds. */
export interface Measured {
  readonly name: string
  readonly p50: number
  readonly p95: number
  /** Limit of `p95`. */
  readonly limit: number
}

/** Measures in rounds after one that does not count; of each round's percentiles the median is kept. */
export async function measure(
  name: string,
  { rounds, times, limit }: { rounds: number; times: number; limit: number },
  once: (number: number) => Promise<number>,
): Promise<Measured> {
  const percentiles: { p50: number; p95: number }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const taken: number[] = []
    for (let time = 0; time < times; time += 1) taken.push(await once(round * times + time))
    if (round > 0) percentiles.push({ p50: percentile(taken, 50), p95: percentile(taken, 95) })
  }
  const median = (key: 'p50' | 'p95') =>
    percentile(
      percentiles.map((each) => each[key]),
      50,
    )
  return { name, p50: median('p50'), p95: median('p95'), limit }
}

/** The value that so many in a hundred do not pass. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((hundredths / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** One line a measurement, its ratio to the limit last. */
export function tableOf(measured: readonly Measured[]): string {
  const cells = [
    ['', 'p50 ms', 'p95 ms', 'limit ms', 'p95/limit', ''],
    ...measured.map(({ name, p50, p95, limit }) => [
      name,
      p50.toFixed(1),
      p95.toFixed(1),
      String(limit),
      (p95 / limit).toFixed(2),
      p95 > limit ? 'MISSED' : '',
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return cells.map((row) => row.map(align).join('  ').trimEnd()).join('\n')
}

/** Returns true if every measurement keeps its limit. */
export function areAllWithin(measured: readonly Measured[]): boolean {
  return measured.every(({ p95, limit }) => p95 <= limit)
}
