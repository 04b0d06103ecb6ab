import { DeviceError, type DevicePeer, type PeerChange } from './device.ts'
import { isKey } from './keys.ts'
import { parseNetworkAddress } from './network-address.ts'

/** Peers by public key. */
export type Peers = ReadonlyMap<string, DevicePeer>

/** A key of 32 zero bytes, which means for WireGuard that a peer has no preshared key. */
export const zeroKey = 'A'.repeat(43) + '='

/** Throws a `DeviceError` when a part is no key or no address: every driver checks what it hands to a device. */
export function checkPeer({ publicKey, presharedKey, allowedIps }: DevicePeer): void {
  if (!isKey(publicKey)) throw new DeviceError('a peer has a public key that is not 32 bytes of base64')
  if (presharedKey !== null && !isKey(presharedKey)) throw new DeviceError('a preshared key is not 32 bytes of base64')
  if (allowedIps.some((network) => parseNetworkAddress(network).prefix === 0))
    throw new DeviceError('a peer may not own a default route')
}

/** True when both hold the same addresses, in any order, and the same preshared key. */
export function isSamePeer(a: DevicePeer, b: DevicePeer): boolean {
  if (a.presharedKey !== b.presharedKey || a.allowedIps.length !== b.allowedIps.length) return false
  if (a.allowedIps.every((network, index) => network === b.allowedIps[index])) return true
  const networks = new Set(a.allowedIps)
  return b.allowedIps.every((network) => networks.has(network))
}

/**
 * The fewest changes that turn `current` into `desired`, in an order in which no address is taken from a peer that still
 * holds it.
 */
export function diffPeers(desired: Peers, current: Peers): PeerChange[] {
  const { missing, changed, extra } = peerDrift(desired, current)
  const touched = [...extra, ...missing, ...changed]
  return planChanges(current, new Map(touched.map((publicKey) => [publicKey, desired.get(publicKey) ?? null])))
}

/** The public keys of peers that differ between what is wanted and what is there. */
export function peerDrift(desired: Peers, actual: Peers) {
  const missing: string[] = []
  const changed: string[] = []
  for (const [publicKey, peer] of desired) {
    const held = actual.get(publicKey)
    if (held === undefined) missing.push(publicKey)
    else if (!isSamePeer(held, peer)) changed.push(publicKey)
  }
  return { missing, changed, extra: [...actual.keys()].filter((publicKey) => !desired.has(publicKey)) }
}

/**
 * Orders the change of some peers: what is to go goes first, then peers give up what another one is about to get, then
 * everything gets its final form. A device hands an address over silently when a second peer claims it, and the order of
 * claims decides who ends up with it; this order never lets two peers claim one address.
 */
export function planChanges(current: Peers, target: ReadonlyMap<string, DevicePeer | null>): PeerChange[] {
  const removals: PeerChange[] = []
  const releases: PeerChange[] = []
  const finals: PeerChange[] = []
  const claims = claimsOf(target)
  for (const [publicKey, peer] of target) {
    if (peer === null) {
      removals.push({ kind: 'remove', publicKey })
      continue
    }
    const released = releaseOf(current.get(publicKey), peer, claims)
    if (released !== null) releases.push({ kind: 'set', peer: released })
    finals.push({ kind: 'set', peer })
  }
  return [...removals, ...releases, ...finals]
}

function claimsOf(target: ReadonlyMap<string, DevicePeer | null>): Map<string, string> {
  const claims = new Map<string, string>()
  for (const [publicKey, peer] of target) for (const network of peer?.allowedIps ?? []) claims.set(network, publicKey)
  return claims
}

/** The peer as it must be before others get their addresses, or null when it holds nothing that another one claims. */
function releaseOf(held: DevicePeer | undefined, final: DevicePeer, claims: Map<string, string>): DevicePeer | null {
  const isClaimed = (network: string) => (claims.get(network) ?? final.publicKey) !== final.publicKey
  if (held === undefined || !held.allowedIps.some(isClaimed)) return null
  const kept = new Set(final.allowedIps)
  return { ...final, allowedIps: held.allowedIps.filter((network) => kept.has(network)) }
}

/** An address that a change would take from a peer the change does not touch. */
export interface Theft {
  readonly network: string
  readonly from: string
  readonly to: string
}

/** Finds two claims to one address: between the changed peers, or between one of them and a peer that stays as it is. */
export function findTheft(
  owners: ReadonlyMap<string, string>,
  target: ReadonlyMap<string, DevicePeer | null>,
): Theft | null {
  const claims = new Map<string, string>()
  for (const [to, peer] of target) {
    for (const network of peer?.allowedIps ?? []) {
      const owner = owners.get(network)
      const from = claims.get(network) ?? (owner !== undefined && !target.has(owner) ? owner : to)
      if (from !== to) return { network, from, to }
      claims.set(network, to)
    }
  }
  return null
}

/** Returns the owners of addresses: public key by network. */
export function ownersOf(peers: Iterable<{ publicKey: string; allowedIps: readonly string[] }>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { publicKey, allowedIps } of peers) for (const network of allowedIps) owners.set(network, publicKey)
  return owners
}

/**
 * Peers of a device as far as this process knows, from its last reading and the changes since. Spares a full reading before
 * each change, and shows at once when a change would take another peer's address.
 */
export type KnownPeers = ReturnType<typeof createKnownPeers>

/** Creates it from a reading of the device; `owners` has the public key for each address. */
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
