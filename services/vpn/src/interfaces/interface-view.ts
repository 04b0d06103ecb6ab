import type { TunnelState } from '../wireguard/tunnel-controller.ts'
import type { Interface } from './schema.ts'
import type { InterfaceSummaryRow } from './store.ts'

/** A peer's part of the figures of its interface; bytes are the totals since it was created. */
export interface InterfacePeer {
  readonly id: string
  readonly isConnected: boolean
  readonly rxTotal: number
  readonly txTotal: number
}

/** Returns the wire form of an interface, with the sums of its peers. It never contains the private key. */
export function interfaceOfRow(
  row: InterfaceSummaryRow,
  { state, standby }: { readonly state: TunnelState; readonly standby: TunnelState },
  peers: readonly InterfacePeer[],
): Interface {
  const { standby_node_id: standbyId } = row
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
    node: row.node_id === null ? null : { id: row.node_id, name: row.node_name ?? row.node_id },
    standby: standbyId === null ? null : { id: standbyId, name: row.standby_name ?? standbyId, ...statusOf(standby) },
    ...statusOf(state),
    public_key: row.public_key,
    peer_count: row.peer_count,
    connected_peers: peers.filter((peer) => peer.isConnected).length,
    transfer_rx: peers.reduce((sum, peer) => sum + peer.rxTotal, 0),
    transfer_tx: peers.reduce((sum, peer) => sum + peer.txTotal, 0),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

const statusOf = ({ status, reason }: TunnelState): Pick<Interface, 'status' | 'status_reason'> => ({
  status: status === 'error' ? 'error' : status === 'up' ? 'active' : 'inactive',
  status_reason: reason,
})
