import type { WatchedDevice } from '../handshakes/handshake-gate.ts'
import type { NodeState } from '../nodes/node-state.ts'
import type { DevicePeer } from '../wireguard/device.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'

type Rotating = Pick<DesiredDevice, 'peers' | 'rotations'>

/**
 * Returns a device in which new keys that were used have the addresses of the keys that they replace. These are gone, or still there
 * without addresses, so that their counters can be read once more.
 */
export function withUsedKeys<T extends Rotating>(device: T, used: ReadonlySet<string>, isOldKept = false): T {
  const replaced = new Map(
    (device.rotations ?? []).flatMap(({ from, to }) => (used.has(to) ? [[to, from] as const] : [])),
  )
  if (replaced.size === 0) return device
  const old = new Set(replaced.values())
  const addresses = new Map(device.peers.map(({ publicKey, allowedIps }) => [publicKey, allowedIps]))
  const peers = device.peers.flatMap((peer): DevicePeer[] => {
    const from = replaced.get(peer.publicKey)
    if (from !== undefined) return [Object.assign({}, peer, { allowedIps: addresses.get(from) ?? [] })]
    if (!old.has(peer.publicKey)) return [peer]
    return isOldKept ? [Object.assign({}, peer, { allowedIps: [] })] : []
  })
  return { ...device, peers, rotations: (device.rotations ?? []).filter(({ to }) => !replaced.has(to)) }
}

/** The new keys of a device that wait. */
export const waitingKeys = ({ rotations = [] }: Rotating): string[] => rotations.map(({ to }) => to)

/** The interfaces of a state that run and on which new keys wait. */
export function devicesWithWaitingKeys({ interfaces }: Pick<NodeState, 'interfaces'>): WatchedDevice[] {
  return interfaces.flatMap((device) => {
    const keys = device.running ? waitingKeys(device) : []
    const { name, privateKey, listenPort } = device.config
    return keys.length === 0 ? [] : [{ name, privateKey, listenPort, keys }]
  })
}
