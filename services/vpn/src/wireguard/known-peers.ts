import type { DevicePeer } from './device.ts'
import { ownersOf } from './device-model.ts'

/**
 * Peers of a device as far as this process knows, from its last reading and the changes since. Spares a full reading before
 * each change, and tells at once when a change would take another peer's address.
 */
export interface KnownPeers {
  readonly peers: ReadonlyMap<string, DevicePeer>
  /** Public key by address. */
  readonly owners: ReadonlyMap<string, string>
  /** Notes what a change made of the peers; null for a removed one. */
  note(target: ReadonlyMap<string, DevicePeer | null>): void
}

/** Starts from a reading of the device. */
export function createKnownPeers(reading: ReadonlyMap<string, DevicePeer>): KnownPeers {
  const peers = new Map<string, DevicePeer>(reading)
  const owners = ownersOf(peers.values())
  return {
    peers,
    owners,
    note(target) {
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
