const maxGap = 1000
const minStep = 50
const successesToNarrow = 10

/** The pause between two exchanges, milliseconds: longer while the device does not keep up, otherwise the configured one. */
export type Pace = ReturnType<typeof createPace>

/** Creates the pause, starting at the configured one. */
export function createPace(base: number) {
  let gap = base
  let successes = 0
  return {
    get gap(): number {
      return gap
    },
    timedOut(): void {
      successes = 0
      gap = Math.max(base, Math.min(maxGap, Math.max(2 * gap, minStep)))
    },
    succeeded(): void {
      successes += 1
      if (successes < successesToNarrow) return
      successes = 0
      gap = Math.max(base, Math.floor(gap / 2))
    },
  }
}
