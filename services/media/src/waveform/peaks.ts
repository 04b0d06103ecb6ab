/**
 * Creates a meter that collects the loudest samples of equal stretches of a sound, as it is decoded: at most `maxCount`
 * stretches for `total` expected samples, none shorter than `minLength` samples.
 */
export function createPeakMeter(options: { total: number; maxCount: number; minLength: number }) {
  const { total, maxCount, minLength } = options
  const count = Math.max(1, Math.min(maxCount, Math.floor(total / minLength)))
  const highest = new Float32Array(count)
  let position = 0
  return {
    /** Adds the next samples, from -1 to 1. Those behind the expected end belong to the last stretch. */
    add(samples: Float32Array): void {
      for (const sample of samples) {
        const stretch = Math.min(count - 1, Math.floor((position * count) / total))
        const level = Math.abs(sample)
        if (level > (highest[stretch] ?? 0)) highest[stretch] = level
        position += 1
      }
    },
    /** From 0 to 1, to three places. */
    get peaks(): number[] {
      return Array.from(highest, (level) => Math.round(Math.min(1, level) * 1000) / 1000)
    },
  }
}
