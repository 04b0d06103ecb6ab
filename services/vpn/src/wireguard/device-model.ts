import type { DevicePeer, PeerChange, PeerState } from './device.ts'
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

/**
 * Peers of a device as far as this process knows, from its last reading and the changes since. Spares a full reading before
 * each change, and tells at once when a change would take another peer's address.
 */
export type KnownPeers = ReturnType<typeof createKnownPeers>

/** Starts from a reading of the device; `owners` has the public key for each address. */
export function createKnownPeers(reading: ReadonlyMap<string, DevicePeer>) {
  const peers = new Map<string, DevicePeer>(reading)
  const owners = ownersOf(peers.values())
  return {
    peers,
    owners,
    /** Takes over what a change made of the peers; null for a removed one. */
    update(target: ReadonlyMap<string, DevicePeer | null>): void {
      for (const publicKey of target.keys()) {
        for (const network of peers.get(publicKey)?.allowedIps ?? []) {
          if (owners.get(network) === publicKey) owners.delete(network)
        }
        peers.delete(publicKey)
      }
      for (const [publicKey, peer] of target) {
        if (peer === null) continue
        peers.set(publicKey, peer)
        for (const network of peer.allowedIps) owners.set(network, publicKey)
      }
    },
  }
}
