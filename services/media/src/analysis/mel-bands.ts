/** One band of a filter bank: the first bin it takes from a spectrum, and how much of that and the following ones. */
export interface Band {
  readonly firstBin: number
  readonly weights: Float64Array
}

/** Settings of a filter bank. */
export interface MelSettings {
  readonly count: number
  readonly lowest: number
  readonly highest: number
}

const melOf = (hertz: number) => 2595 * Math.log10(1 + hertz / 700)
const hertzOf = (mel: number) => 700 * (10 ** (mel / 2595) - 1)

/** Triangles that overlap by half, as wide as hearing resolves, for the spectrum of `size` samples taken at `rate` Hz. */
export function melBands(size: number, rate: number, { count, lowest, highest }: MelSettings): Band[] {
  const bottom = melOf(lowest)
  const step = (melOf(Math.min(highest, rate * 0.48)) - bottom) / (count + 1)
  const binWidth = rate / size
  return Array.from({ length: count }, (_, index) => {
    const [from, centre, to] = [0, 1, 2].map((corner) => hertzOf(bottom + step * (index + corner)) / binWidth) as [
      number,
      number,
      number,
    ]
    const firstBin = Math.ceil(from)
    const length = Math.max(1, Math.floor(to) - firstBin + 1)
    const weights = Float64Array.from({ length }, (_, bin) => {
      const at = firstBin + bin
      return Math.max(0, at < centre ? (at - from) / (centre - from) : (to - at) / (to - centre))
    })
    return { firstBin, weights }
  })
}
