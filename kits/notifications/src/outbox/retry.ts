/** Attempts before a message is given up; the last is about a day after the first. */
export const maxAttempts = 8

const firstDelayMs = 30_000
const factor = 3.5
const maxDelayMs = 86_400_000

/**
 * Returns the delay before the next attempt, milliseconds: exponential with ±20 % jitter, and at least what the server asked
 * for, a day at most.
 *
 * @param attempts attempts so far, from 1
 * @param random from 0 to 1
 */
export function retryDelay(attempts: number, random: number, retryAfterMs = 0): number {
  const delay = firstDelayMs * factor ** (attempts - 1) * (0.8 + 0.4 * random)
  return Math.round(Math.min(maxDelayMs, Math.max(delay, retryAfterMs)))
}
