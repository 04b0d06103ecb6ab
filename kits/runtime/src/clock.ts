/** A source of time, which tests can move. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. It may jump. */
  now(): number
  /** Milliseconds that only ever grow, for measuring durations. */
  monotonic(): number
}

/** The clocks of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** Formats a stored time, milliseconds since the epoch, for the wire: ISO 8601 in UTC; null stays null. */
export const toIsoString = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

/** A clock that stands still until it is advanced. `advance` moves both clocks, `jump` only the wall clock. */
export function createManualClock(start: number): Clock & { advance(ms: number): void; jump(ms: number): void } {
  let wall = start
  let steady = 0
  return {
    now: () => wall,
    monotonic: () => steady,
    advance(ms) {
      wall += ms
      steady += ms
    },
    jump(ms) {
      wall += ms
    },
  }
}
