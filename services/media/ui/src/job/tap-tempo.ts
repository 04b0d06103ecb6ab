/** Pause after which a new series of taps begins, milliseconds. */
const maxPause = 2500
const maxTaps = 12

/** The taps that still count when one more comes at `now`, it included. */
export function addTap(taps: readonly number[], now: number): number[] {
  const last = taps.at(-1)
  if (last !== undefined && now - last > maxPause) return [now]
  return [...taps, now].slice(-maxTaps)
}

/** The tempo of taps in beats a minute, from the third tap on: the middle of the distances, which one slip does not move. */
export function tempoOf(taps: readonly number[]): number | undefined {
  if (taps.length < 3) return undefined
  const distances = taps.slice(1).map((tap, place) => tap - (taps[place] ?? tap))
  const sorted = distances.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  const distance = (low + high) / 2
  return distance <= 0 ? undefined : Math.round(600_000 / distance) / 10
}
