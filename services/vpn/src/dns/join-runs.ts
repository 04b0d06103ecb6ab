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

/** More ids than this are read as all there are. */
const maxIds = 500

/**
 * As `joinRuns`, for a run that can be limited to some ids: it is given those of all its callers, or undefined for all there
 * are, as a caller without ids wants. A run that fails leaves it open what was done, so the next one is for all.
 */
export function joinChanges(
  run: (ids: readonly string[] | undefined) => Promise<void>,
): (ids?: readonly string[]) => Promise<void> {
  const waiting = new Set<string>()
  let isForAll = false
  const joined = joinRuns(async () => {
    const ids = isForAll || waiting.size > maxIds ? undefined : [...waiting]
    isForAll = false
    waiting.clear()
    try {
      await run(ids)
    } catch (error) {
      isForAll = true
      throw error
    }
  })
  return (ids) => {
    if (ids === undefined) isForAll = true
    else for (const id of ids) waiting.add(id)
    return joined()
  }
}
