import { DeviceError, type DevicePeer } from './device.ts'
import { isKey } from './keys.ts'
import { networkOf } from './network-address.ts'

/** A key of 32 zero bytes, which means for WireGuard that a peer has no preshared key. */
export const zeroKey = 'A'.repeat(43) + '='

/** The same peer with every address in the device's own form. Throws a `DeviceError` when a part is no key or no address. */
export function checkedPeer(peer: DevicePeer): DevicePeer {
  if (!isKey(peer.publicKey)) throw new DeviceError('a peer has a public key that is not 32 bytes of base64')
  const { presharedKey } = peer
  if (presharedKey !== null && !isKey(presharedKey)) throw new DeviceError('a preshared key is not 32 bytes of base64')
  const allowedIps = peer.allowedIps.map(networkOf)
  if (allowedIps.some((network) => network.endsWith('/0'))) throw new DeviceError('a peer may not own a default route')
  return { publicKey: peer.publicKey, presharedKey: presharedKey === zeroKey ? null : presharedKey, allowedIps }
}

/**
 * The text for `wg addconf`: each section replaces the addresses and the preshared key of its peer and touches no other
 * peer. Holds secrets.
 */
export function encodeAddConf(peers: readonly DevicePeer[]): string {
  return peers.map((peer) => encodePeer(checkedPeer(peer))).join('\n')
}

function encodePeer(peer: DevicePeer): string {
  const lines = ['[Peer]', `PublicKey = ${peer.publicKey}`, `PresharedKey = ${peer.presharedKey ?? zeroKey}`]
  if (peer.allowedIps.length > 0) lines.push(`AllowedIPs = ${peer.allowedIps.join(', ')}`)
  return `${lines.join('\n')}\n`
}
