import type { Dashboard, Peer } from './api.ts'

/** One point of the traffic picture: when, and bytes per second each way as the server sees it. */
export interface RateSample {
  at: number
  rx: number
  tx: number
}

const rateSamples = 150

/** A cached peer page or single peer with what changed of peers; the same object when none of them is meant. */
export function patchPeers<Cached extends { peers: Peer[] } | Peer>(
  cached: Cached | undefined,
  changes: readonly (Pick<Peer, 'id'> & Partial<Peer>)[],
): Cached | undefined {
  if (cached === undefined) return undefined
  const byId = new Map(changes.map((change) => [change.id, change]))
  if (!('peers' in cached)) {
    const change = byId.get(cached.id)
    return change === undefined ? cached : { ...cached, ...change }
  }
  if (!cached.peers.some((peer) => byId.has(peer.id))) return cached
  return { ...cached, peers: cached.peers.map((peer) => ({ ...peer, ...byId.get(peer.id) })) }
}

/** The traffic picture with one more sample, the oldest falling out. */
export function addRate(
  samples: readonly RateSample[] = [],
  overview: Pick<Dashboard, 'traffic' | 'generated_at'>,
): RateSample[] {
  const next = { at: Date.parse(overview.generated_at), rx: overview.traffic.rx_rate, tx: overview.traffic.tx_rate }
  if (samples.at(-1)?.at === next.at) return [...samples]
  return [...samples, next].slice(-rateSamples)
}
