import { useSyncExternalStore } from 'react'
import { type BatchState, createBatch } from './batch.ts'

/** The batch of this page; it goes on while other pages of the service are looked at. */
export const batch = createBatch(
  (seconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
)

/** How the batch stands; renders again when that changes. */
export function useBatch(): BatchState {
  return useSyncExternalStore(
    (listener) => batch.subscribe(listener),
    () => batch.state(),
  )
}
