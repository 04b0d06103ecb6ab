import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks again and again until the answer is good, and returns it. Fails after `seconds` with the last answer or error, so that
 * a test waits for what it means and no longer.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  isGood: (answer: T) => boolean,
  options: { seconds?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const { seconds = 30, everyMs = 50, what = 'the awaited state' } = options
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const outcome = await attempt(ask)
    if ('answer' in outcome && isGood(outcome.answer)) return outcome.answer
    if (performance.now() > deadline) {
      const last = 'answer' in outcome ? JSON.stringify(outcome.answer) : String(outcome.error)
      throw new Error(`${what} did not come within ${seconds} s; last: ${last?.slice(0, 2000)}`)
    }
    await pause(everyMs)
  }
}

async function attempt<T>(ask: () => T | Promise<T>): Promise<{ answer: T } | { error: unknown }> {
  try {
    return { answer: await ask() }
  } catch (error) {
    return { error }
  }
}
