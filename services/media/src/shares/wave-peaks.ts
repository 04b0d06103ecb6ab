/** Bars of the wave on the page of a link. */
const barCount = 240

/** Returns the loudest of equal stretches, at most 240 of them, as whole percent; the loudest of all is 100. */
export function coarsePeaks(peaks: readonly number[]): number[] {
  const count = Math.min(barCount, peaks.length)
  const bars = Array.from({ length: count }, (_, bar) => {
    const [first, end] = [Math.floor((bar * peaks.length) / count), Math.floor(((bar + 1) * peaks.length) / count)]
    return peaks.slice(first, end).reduce((highest, peak) => Math.max(highest, peak), 0)
  })
  const loudest = bars.reduce((highest, bar) => Math.max(highest, bar), 0)
  return bars.map((bar) => (loudest === 0 ? 0 : Math.round((bar / loudest) * 100)))
}
