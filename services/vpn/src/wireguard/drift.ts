import { type DeviceConfig, DeviceError, type DevicePeer, type DeviceState } from './device.ts'
import type { Peers } from './device-diff.ts'
import type { InterfaceRules } from './firewall.ts'
import { publicKeyOf } from './keys.ts'

/** A key that another one replaces. */
export interface KeyReplacement {
  readonly from: string
  readonly to: string
}

/** A time from which on a peer may not connect any more, milliseconds since the epoch. */
export interface PeerExpiry {
  readonly publicKey: string
  readonly at: number
}

/** One interface as the operator wants it. A stopped one is listed too: its device must not run. */
export interface DesiredDevice {
  readonly config: DeviceConfig
  readonly peers: readonly DevicePeer[]
  readonly rules: InterfaceRules
  readonly running: boolean
  /** New keys that wait, each with the key of the peer that it replaces when it is used. */
  readonly rotations?: readonly KeyReplacement[] | undefined
  /** When peers expire, for hosts that cannot ask the database then. */
  readonly expiries?: readonly PeerExpiry[] | undefined
}

/** Differences of the machine to what is wanted. Holds public keys and words, never a secret. */
export interface Drift {
  /** The interface, or null for the firewall, which all interfaces share. */
  readonly interface: string | null
  /** Differences of the device itself, in words. */
  readonly device: readonly string[]
  /** Public keys of peers that were not there, differed, or should not have been there. */
  readonly missing: readonly string[]
  readonly changed: readonly string[]
  readonly extra: readonly string[]
  /** Null when it was repaired, else why it could not be. */
  readonly failure: string | null
}

/** The drift of an interface, or of the firewall, in which no peer differs. */
export function driftOf(name: string | null, device: readonly string[], failure: string | null = null): Drift {
  return { interface: name, device, missing: [], changed: [], extra: [], failure }
}

/** The desired peers by public key. Two peers with one address or key are a `DeviceError`. */
export function desiredPeers(peers: readonly DevicePeer[]): Peers {
  const byKey = new Map<string, DevicePeer>()
  const networks = new Set<string>()
  for (const peer of peers) {
    if (byKey.has(peer.publicKey)) throw new DeviceError('two peers have the same public key')
    for (const network of peer.allowedIps) {
      if (networks.has(network)) throw new DeviceError(`two peers have the address ${network}`)
      networks.add(network)
    }
    byKey.set(peer.publicKey, peer)
  }
  return byKey
}

/** Returns the differences of the device apart from its link and its peers, in words. */
export function settingsDrift(config: DeviceConfig, state: DeviceState): string[] {
  return [
    ...(state.publicKey === publicKeyOf(config.privateKey) ? [] : ['other private key']),
    ...(state.listenPort === config.listenPort ? [] : [`port ${state.listenPort}`]),
  ]
}

/** True when there is nothing to report. */
export function isClean(drift: Drift): boolean {
  return [drift.device, drift.missing, drift.changed, drift.extra].every((list) => list.length === 0)
}

/** One sentence about a drift, for the log and the event stream: how the machine differed, and how that ended. */
export function describeDrift(drift: Drift): string {
  const peers = (keys: readonly string[], what: string) => (keys.length === 0 ? [] : [`${keys.length} peer(s) ${what}`])
  const found = [
    ...drift.device,
    ...peers(drift.missing, 'missing'),
    ...peers(drift.changed, 'changed'),
    ...peers(drift.extra, 'not ours'),
  ]
  const where = drift.interface ?? 'The firewall'
  const end = drift.failure === null ? 'repaired' : `could not be repaired: ${drift.failure}`
  return `${where} was changed from outside (${found.join(', ')}); ${end}`
}
