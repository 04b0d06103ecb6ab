import { createRefresher, notifyProblem, type Refresher } from '@hearth/ui'
import type { QueryClient } from '@tanstack/react-query'
import type { components } from './api.gen.ts'
import { keys, type Peer } from './api.ts'
import { addRate, patchPeers, type RateSample } from './live-changes.ts'

/** One event of `/api/events`. */
export type ServiceEvent = components['schemas']['ServiceEvent']

/** Rates of the last minutes, newest last; filled by events only. */
export const rateHistoryKey = ['rate-history'] as const

/**
 * What events do to the cached answers: counters and statuses are written into them, edited collections are read again,
 * a burst of edits once. The first `hello` finds a fresh page; a later one means that events were missed.
 */
export function followEvents(): (event: ServiceEvent, cache: QueryClient) => void {
  let target: QueryClient | undefined
  let greeted = false
  const refresher = createRefresher((names) => {
    for (const name of names) void target?.invalidateQueries({ queryKey: [name] })
  })
  return (event, cache) => {
    target = cache
    if (event.type === 'hello' && greeted) void cache.invalidateQueries()
    if (event.type === 'hello') greeted = true
    else applyEvent(event, { cache, refresher })
  }
}

function applyEvent(
  event: Exclude<ServiceEvent, { type: 'hello' }>,
  to: { cache: QueryClient; refresher: Refresher },
): void {
  const { cache, refresher } = to
  switch (event.type) {
    case 'changed':
      for (const name of staleAfter(event.collection)) refresher.note(name)
      return
    case 'activity':
      cache.setQueriesData<{ peers: Peer[] } | Peer>({ queryKey: keys.peers }, (old) => patchPeers(old, event.peers))
      return
    case 'connection':
      refresher.note('interfaces')
      refresher.note('peers')
      return
    case 'overview':
      cache.setQueryData(keys.overview, event.overview)
      cache.setQueryData<RateSample[]>(rateHistoryKey, (old) => addRate(old, event.overview))
      return
    case 'drift':
      notifyProblem(new Error(`${event.interface}: ${event.message}`))
  }
}

/** Interfaces count their peers, and peers go with their interface. */
function staleAfter(collection: string): string[] {
  return collection === 'interfaces' || collection === 'peers' ? ['interfaces', 'peers'] : [collection]
}
