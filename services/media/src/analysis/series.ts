/** Mean of a series; 0 of an empty one. */
export function meanOf(values: Float64Array): number {
  let sum = 0
  for (let index = 0; index < values.length; index += 1) sum += values[index] as number
  return sum / Math.max(1, values.length)
}

/** Scales a series to standard deviation 1; a constant one stays. */
export function withDeviationOne(values: Float64Array): Float64Array {
  const mean = meanOf(values)
  let squares = 0
  for (let index = 0; index < values.length; index += 1) {
    const difference = (values[index] as number) - mean
    squares += difference * difference
  }
  const variance = squares / Math.max(1, values.length)
  if (variance === 0) return values
  const deviation = Math.sqrt(variance)
  const scaled = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1) scaled[index] = (values[index] as number) / deviation
  return scaled
}

/** Sum of series of one length, each with its weight. */
export function weightedSum(series: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const sums = new Float64Array(series[0]?.length ?? 0)
  for (const [number, values] of series.entries()) {
    const weight = weights[number] as number
    for (let index = 0; index < sums.length; index += 1)
      sums[index] = (sums[index] as number) + weight * (values[index] as number)
  }
  return sums
}

/** Value of a series at a place between two of its values; 0 beyond its end. */
export function valueAt(values: Float64Array, place: number): number {
  const index = Math.floor(place)
  const before = index < values.length ? (values[index] as number) : 0
  const behind = index + 1 < values.length ? (values[index + 1] as number) : 0
  return before + (place - index) * (behind - before)
}
