import type { DesiredDevice } from '../src/wireguard/drift.ts'
import type { TunnelChanges, Tunnels } from '../src/wireguard/tunnels.ts'

/** The changes of tunnels, each under a lock of its own. */
export const lockedChanges = (tunnels: Tunnels) => ({
  apply: (
    name: string,
    ...rest: [peers: Parameters<TunnelChanges['apply']>[1], rules?: Parameters<TunnelChanges['apply']>[2]]
  ) => tunnels.withLock(name, (changes) => changes.apply(name, ...rest)),
  bring: (device: Omit<DesiredDevice, 'running'>) =>
    tunnels.withLock(device.config.name, (changes) => changes.bring(device)),
  take: (name: string, publicKey: string) => tunnels.withLock(name, (changes) => changes.take(name, publicKey)),
})
