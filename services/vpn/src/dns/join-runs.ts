/**
 * Makes `run` callable by many at once: whoever calls while one runs shares the next run, which begins after all these calls.
 * So each caller's promise covers what was there when it called, and bursts cost two runs.
 */
export function joinRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        running = run()
        return running
      })
    return next
  }
}
