import type { MediaEvent, NumberedEvent } from './schema.ts'

/** Carries events from whoever works to whoever watches, within one process or between several. */
export interface EventBus {
  /** Never throws; an event that cannot be carried is lost, and the job's row still tells the truth. */
  publish(event: MediaEvent): void
  /** Hears every event in the same order as everybody else; returns how to stop. */
  subscribe(listener: (event: NumberedEvent) => void): () => void
  close(): Promise<void>
}

/** The bus of one process. Numbers begin at the present moment, so that those of an earlier life are never met again. */
export function createLocalBus(start = Date.now()): EventBus {
  const listeners = new Set<(event: NumberedEvent) => void>()
  let seq = start
  return {
    publish(event) {
      seq += 1
      for (const listener of listeners) listener({ ...event, seq })
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
