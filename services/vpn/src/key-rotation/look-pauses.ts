/** Milliseconds between two looks for the first handshake of a new key, by the time since it was handed out: it is used soon, as a rule. */
const looks = [
  { within: 2 * 60_000, every: 20 },
  { within: 15 * 60_000, every: 100 },
] as const

/** How many times as long as a look a pause is at least. */
const pauseFactor = 10

/** The shortest pause between two looks for the first handshake of a new key, milliseconds. */
export const shortestLookPause = looks[0].every

/** The pause between two looks where the gate holds the first handshake back, milliseconds. */
const pauseWhenHeld = 1000

/** The pause after a look that took so long, so long after a new key was handed out; all in milliseconds. */
export function lookPause(sinceHandedOut: number, lookTook: number, isHeld = false): number {
  const soon = isHeld ? undefined : looks.find(({ within }) => Math.abs(sinceHandedOut) < within)
  const every = soon?.every ?? pauseWhenHeld
  return Math.max(every, lookTook * pauseFactor)
}
