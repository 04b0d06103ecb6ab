import type { PeerLimit } from '../wireguard/limit-text.ts'
import type { DevicePeer } from '../wireguard/device.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import type { InterfaceRules } from '../wireguard/firewall.ts'

/**
 * Returns the first step from the devices of one state to those of another: what both allow. Peers, addresses and interfaces that
 * go are gone, those that come are not there yet, and the firewall rules are the stricter ones of both.
 */
export function narrowDevices(before: readonly DesiredDevice[], after: readonly DesiredDevice[]): DesiredDevice[] {
  const wanted = new Map(after.map((device) => [device.config.name, device]))
  return before.map((device) => {
    const next = wanted.get(device.config.name)
    if (next?.running !== true) return stopped(device)
    return {
      ...device,
      peers: sharedPeers(device.peers, next.peers),
      rules: stricterRules(device.rules, next.rules),
    }
  })
}

/** Returns an interface as it is when it does not run. */
export const stopped = (device: DesiredDevice): DesiredDevice => ({ ...device, peers: [], running: false })

/** Returns the peers that are in both lists, as the first has them, with the addresses that they have in both. */
export function sharedPeers(before: readonly DevicePeer[], after: readonly DevicePeer[]): DevicePeer[] {
  const wanted = new Map(after.map((peer) => [peer.publicKey, new Set(peer.allowedIps)]))
  return before.flatMap((peer) => {
    const kept = wanted.get(peer.publicKey)
    if (kept === undefined) return []
    return [{ ...peer, allowedIps: peer.allowedIps.filter((network) => kept.has(network)) }]
  })
}

function stricterRules(before: InterfaceRules, after: InterfaceRules): InterfaceRules {
  return {
    ...before,
    forwarding: before.forwarding && after.forwarding,
    isolated: [...new Set([...before.isolated, ...after.isolated])],
  }
}

/** Returns the limits of which each is the stricter one of both states. */
export function stricterLimits(before: readonly PeerLimit[], after: readonly PeerLimit[]): PeerLimit[] {
  const next = new Map(after.map((limit) => [limit.id, limit]))
  const networksOf = ({ addresses, networks }: PeerLimit) => [...addresses, ...networks]
  const taken = new Set(after.flatMap(networksOf))
  const known = new Map(before.map((limit) => [limit.id, limit]))
  // An address that another peer gets belongs to nobody now, and the table holds one limit for it.
  const ending = before.filter((limit) => !next.has(limit.id) && !networksOf(limit).some((each) => taken.has(each)))
  return [...after.map((limit) => stricterLimit(known.get(limit.id), limit)), ...ending]
}

function stricterLimit(before: PeerLimit | undefined, after: PeerLimit): PeerLimit {
  if (before === undefined) return after
  return {
    ...after,
    down: slower(before.down, after.down),
    up: slower(before.up, after.up),
    isStopped: before.isStopped || after.isStopped,
  }
}

function slower(one: number | null, other: number | null): number | null {
  const least = Math.min(one ?? Infinity, other ?? Infinity)
  return least === Infinity ? null : least
}

/** Returns the names of the interfaces that differ between two steps. */
export function differingDevices(before: readonly DesiredDevice[], after: readonly DesiredDevice[]): string[] {
  const textsOf = (devices: readonly DesiredDevice[]) =>
    new Map(devices.map((device) => [device.config.name, JSON.stringify(device)]))
  const [old, next] = [textsOf(before), textsOf(after)]
  return [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name))
}
