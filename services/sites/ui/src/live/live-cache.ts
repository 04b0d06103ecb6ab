import { createRefresher, type Refresher } from '@hearth/ui'
import type { QueryClient } from '@tanstack/react-query'
import type { components } from '../api.gen.ts'
import { staleAfter } from './stale-after.ts'

/** One event of `/api/v1/events`. */
export type SiteEvent = components['schemas']['SiteEvent']

/** Takes an event that is more than a note that something went stale; true when nothing is left to be done. */
export type EventWriter = (event: SiteEvent, cache: QueryClient) => boolean

/**
 * Makes the `onEvent` of the page. What an event made stale is read again, a burst of them once; after `reset` everything is.
 * `writers` may put what an event brings into the cached answers themselves.
 */
export function followSites(writers: readonly EventWriter[] = []): (event: SiteEvent, cache: QueryClient) => void {
  let target: QueryClient | undefined
  const refresher: Refresher = createRefresher((names) => {
    for (const name of names) void target?.invalidateQueries({ queryKey: [name] })
  })
  return (event, cache) => {
    target = cache
    if (event.type === 'reset') void cache.invalidateQueries()
    else if (!writers.some((write) => write(event, cache))) for (const name of staleAfter(event)) refresher.note(name)
  }
}
