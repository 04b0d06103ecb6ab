import type { Clock } from '@hearth/runtime'

/** Keeps what was read for so many milliseconds, for figures that cost more than a look-up; a failure is not kept. */
export function keepFor<T>(milliseconds: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly value: T; readonly at: number } | undefined
  return async () => {
    const at = clock.monotonic()
    if (kept === undefined || at - kept.at > milliseconds) kept = { value: await read(), at }
    return kept.value
  }
}
