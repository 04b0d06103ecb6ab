import type { DesiredDevice } from '../wireguard/drift.ts'

/** Returns a device without the peers that have expired, with what its rules, routes and waiting keys say of them. */
export function withoutExpired<T extends DesiredDevice>(device: T, now: number): T {
  const expired = new Set((device.expiries ?? []).flatMap(({ publicKey, at }) => (at <= now ? [publicKey] : [])))
  if (expired.size === 0) return device
  const { config, peers, rules, rotations = [] } = device
  const gone = new Set(peers.flatMap(({ publicKey, allowedIps }) => (expired.has(publicKey) ? allowedIps : [])))
  const isGone = (address: string) => gone.has(`${address}/${address.includes(':') ? 128 : 32}`)
  return {
    ...device,
    config: { ...config, routes: config.routes.filter((network) => !gone.has(network)) },
    peers: peers.filter(({ publicKey }) => !expired.has(publicKey)),
    rules: {
      ...rules,
      networks: rules.networks.filter((network) => !gone.has(network)),
      isolated: rules.isolated.filter((address) => !isGone(address)),
    },
    rotations: rotations.filter(({ to }) => !expired.has(to)),
  }
}

/** Returns the first time after this one at which a peer expires; Infinity when none does. */
export function nextExpiry(devices: readonly DesiredDevice[], now: number): number {
  const ends = devices.flatMap(({ expiries = [] }) => expiries.map(({ at }) => at))
  return ends.reduce((first, at) => (at > now && at < first ? at : first), Infinity)
}
