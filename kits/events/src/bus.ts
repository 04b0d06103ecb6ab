/** Carries events from the code that publishes them to the streams, within one process or between several. */
export interface EventBus<Event> {
  /** Number of the last event; numbers of earlier runs are smaller. */
  readonly lastId: number
  /** Never throws and never waits. */
  publish(event: Event): void
  /**
   * Delivers every event from now on with its number, in the same order to everybody; returns how to stop.
   *
   * @param onGap called when events were lost on the way, which the bus of a single process never does
   */
  subscribe(listener: (event: Event, id: number) => void, onGap?: () => void): () => void
  close(): Promise<void>
}

/** Creates the bus of one process. Numbers start at the current time, so no number of an earlier run is met again. */
export function createLocalBus<Event>(start = Date.now()): EventBus<Event> {
  const listeners = new Set<(event: Event, id: number) => void>()
  let lastId = start
  return {
    get lastId() {
      return lastId
    },
    publish(event) {
      lastId += 1
      for (const listener of listeners) listener(event, lastId)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      listeners.clear()
      return Promise.resolve()
    },
  }
}
