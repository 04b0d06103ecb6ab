/** Milliseconds to wait before the next attempt: 1, 2, 4 … seconds, at most 30, spread by up to a fifth either way. */
export function backOff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(30_000, 1000 * 2 ** Math.max(0, attempt - 1))
  return Math.round(base * (0.8 + 0.4 * random()))
}
