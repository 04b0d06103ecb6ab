import { statusOf } from '../peers/followed-peer.ts'
import type { FollowedPeer } from '../peers/sampler.ts'
import type { TunnelState } from '../wireguard/tunnel-context.ts'
import type { Interface } from './schema.ts'
import type { InterfaceSummaryRow } from './store.ts'

/** The wire form of an interface, with how it stands and what its peers add up to. The private key has no place in it. */
export function interfaceOfRow(
  row: InterfaceSummaryRow,
  live: { state: TunnelState; peers: readonly FollowedPeer[]; now: number },
): Interface {
  const { state, peers, now } = live
  return {
    name: row.name,
    address: row.address,
    address6: row.address6,
    listen_port: row.listen_port,
    dns: row.dns,
    mtu: row.mtu,
    nat: row.nat === 1,
    forwarding: row.forwarding === 1,
    enabled: row.enabled === 1,
    status: state.status === 'error' ? 'error' : state.status === 'up' ? 'active' : 'inactive',
    status_reason: state.reason,
    public_key: row.public_key,
    peer_count: row.peer_count,
    connected_peers: peers.filter((peer) => statusOf(peer, now) === 'active').length,
    transfer_rx: peers.reduce((sum, peer) => sum + peer.activity.rxTotal, 0),
    transfer_tx: peers.reduce((sum, peer) => sum + peer.activity.txTotal, 0),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
