import type { PeerChange, PeerState } from './device.ts'
import { checkedPeer } from './conf-text.ts'

/**
 * Model of a WireGuard device on a map: a change replaces addresses and preshared key of
 * its peer and keeps its counters; an address another peer holds moves over silently. Changes `peers` in place.
 */
export function applyToModel(peers: Map<string, PeerState>, changes: readonly PeerChange[]): void {
  const owners = ownersOf(peers.values())
  const removals = changes.filter((change) => change.kind === 'remove')
  for (const change of [...removals, ...changes.filter((change) => change.kind === 'set')]) {
    const publicKey = change.kind === 'set' ? change.peer.publicKey : change.publicKey
    const held = peers.get(publicKey)
    for (const network of held?.allowedIps ?? []) owners.delete(network)
    if (change.kind === 'remove') {
      peers.delete(publicKey)
      continue
    }
    const peer = checkedPeer(change.peer)
    for (const network of peer.allowedIps) {
      const robbed = peers.get(owners.get(network) ?? '')
      if (robbed !== undefined && robbed.publicKey !== publicKey) {
        peers.set(robbed.publicKey, { ...robbed, allowedIps: robbed.allowedIps.filter((each) => each !== network) })
      }
      owners.set(network, publicKey)
    }
    peers.set(publicKey, { ...(held ?? newPeer), ...peer })
  }
}

/** Returns the owners of addresses: public key by network. */
export function ownersOf(peers: Iterable<{ publicKey: string; allowedIps: readonly string[] }>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { publicKey, allowedIps } of peers) for (const network of allowedIps) owners.set(network, publicKey)
  return owners
}

const newPeer = { endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }
