import { type EventEffects, notifyProblem } from '@hearth/ui'
import type { components } from './api.gen.ts'
import { keys, type Peer } from './api.ts'
import { addRate, patchPeers, type RateSample } from './live-changes.ts'

/** One event of `/api/events`. */
export type ServiceEvent = components['schemas']['ServiceEvent']

/** Rates of the last minutes, newest last; filled by events only. */
export const rateHistoryKey = ['rate-history'] as const

/** Applies an event to the cached answers: counters, values and states are written into them, the rest is read again. */
export function applyEvent(event: Exclude<ServiceEvent, { type: 'hello' }>, to: EventEffects): void {
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
      refresher.note('connections')
      return
    case 'overview':
      cache.setQueryData(keys.overview, event.overview)
      cache.setQueryData<RateSample[]>(rateHistoryKey, (old) => addRate(old, event.overview))
      return
    case 'list-update':
      cache.setQueryData(keys.listUpdate, event.update)
      if (event.update.status === 'done') for (const name of afterListUpdate) refresher.note(name)
      return
    case 'queries':
      refresher.note('dns_log')
      return
    case 'drift':
      notifyProblem(new Error(`${event.interface}: ${event.message}`))
  }
}

const afterListUpdate = ['blocklists', 'dns_status', 'dns_stats', 'dns_explanation']

/** Interfaces count their peers, peers go with their interface, and what decides about names changes why they are blocked. */
function staleAfter(collection: string): string[] {
  switch (collection) {
    case 'interfaces':
    case 'peers':
      return ['interfaces', 'peers', 'peer_tags', 'setup_links', 'access']
    case 'dns_settings':
      return ['dns_settings', 'dns_status', 'dns_explanation']
    case 'dns_rules':
      return ['dns_rules', 'dns_explanation']
    case 'dns_records':
      return ['dns_records', 'dns_explanation']
    case 'dns_zones':
      return ['dns_zones', 'dns_explanation']
    case 'dns_profiles':
      return ['dns_profiles', 'dns_explanation']
    case 'blocklists':
      return ['blocklists', 'dns_status', 'dns_explanation']
    default:
      return [collection]
  }
}
