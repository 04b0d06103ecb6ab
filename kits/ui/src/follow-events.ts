import type { QueryClient } from '@tanstack/react-query'
import { createRefresher, type Refresher } from './refresher.ts'

/** Effects of an event: it is written into the cached answers, or names those that went stale. */
export interface EventEffects {
  readonly cache: QueryClient
  /** A name is the parts of a cached answer's key with blanks between them. */
  readonly refresher: Refresher
}

/**
 * Creates the `onEvent` of a service from a function that applies one event. Answers noted as stale are read again, a burst of
 * notes once. The first `hello` finds a fresh page; a later one means that events were missed, and everything is read again.
 */
export function followEvents<Event extends object>(
  apply: (event: Exclude<Event, { type: 'hello' }>, effects: EventEffects) => void,
): (event: Event, cache: QueryClient) => void {
  let target: QueryClient | undefined
  let greeted = false
  const refresher = createRefresher((names) => {
    for (const name of names) void target?.invalidateQueries({ queryKey: name.split(' ') })
  })
  return (event, cache) => {
    target = cache
    const isHello = 'type' in event && event.type === 'hello'
    if (isHello && greeted) void cache.invalidateQueries()
    if (isHello) greeted = true
    else apply(event as Exclude<Event, { type: 'hello' }>, { cache, refresher })
  }
}
