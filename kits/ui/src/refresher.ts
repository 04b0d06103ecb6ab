/** Collects names of what went stale and reports them together, so that a burst of events costs one reading. */
export interface Refresher {
  note(name: string): void
  close(): void
}

/** Pace of the reports: `soon` after the first, and never twice within `apart` milliseconds. */
export interface RefreshPace {
  soon: number
  apart: number
}

/** `refresh` gets each name once a batch. The defaults keep one page below 20 readings a minute and name. */
export function createRefresher(
  refresh: (names: string[]) => void,
  { soon, apart }: RefreshPace = { soon: 250, apart: 3000 },
): Refresher {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  const flush = () => {
    timer = undefined
    last = Date.now()
    const names = [...waiting]
    waiting.clear()
    refresh(names)
  }
  return {
    note: (name) => {
      waiting.add(name)
      timer ??= setTimeout(flush, Math.min(apart, Math.max(soon, last + apart - Date.now())))
    },
    close: () => clearTimeout(timer),
  }
}
