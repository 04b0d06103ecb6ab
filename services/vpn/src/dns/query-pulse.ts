const everyMs = 1000

/** Gathers how many queries were answered and tells it at most once a second. */
export interface QueryPulse {
  add(count: number): void
  close(): void
}

export function createQueryPulse(tell: (count: number) => void): QueryPulse {
  let gathered = 0
  const timer = setInterval(() => {
    if (gathered === 0) return
    const count = gathered
    gathered = 0
    tell(count)
  }, everyMs)
  timer.unref()
  return {
    add(count) {
      gathered += count
    },
    close: () => clearInterval(timer),
  }
}
