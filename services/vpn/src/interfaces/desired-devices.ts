import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { splitList } from '../envelope.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import type { DeviceConfig, DevicePeer } from '../wireguard/device.ts'
import type { DesiredDevice, PeerExpiry } from '../wireguard/drift.ts'
import type { InterfaceRules } from '../wireguard/firewall.ts'
import { effectivePeerRows, findInterfaceRow, interfaceRowsOn } from './store.ts'
import { canonicalIpv6, subnet4, subnet6 } from './subnet.ts'

/** Contexts that sealed keys are bound to: a key copied to another row does not open. */
export const sealContext = {
  interfaceKey: (name: string) => `interfaces.private_key:${name}`,
  peerKey: (id: string) => `peers.private_key:${id}`,
  presharedKey: (id: string) => `peers.preshared_key:${id}`,
}

interface DesiredDevicesDependencies {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly pagePort?: (name: string) => number | null
  readonly pagePortOnNodes?: () => number | null
}

/** The desired state of the machine, read from the database; the data plane reads it when it starts, repairs and changes. */
export class DesiredDevices {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #opened: (sealed: string, context: string) => string
  readonly #pagePort: (name: string) => number | null
  readonly #pagePortOnNodes: () => number | null

  /** `pagePort` and `pagePortOnNodes` are the ports of the page for the peers of an interface; null without one. */
  constructor({ db, sealer, clock, pagePort = () => null, pagePortOnNodes = () => null }: DesiredDevicesDependencies) {
    this.#db = db
    this.#clock = clock
    this.#pagePort = pagePort
    this.#pagePortOnNodes = pagePortOnNodes
    this.#opened = createOpenedKeys(sealer)
  }

  /** Reads all interfaces of this host, or the one of that name; stopped ones too. */
  async read(name?: string): Promise<DesiredDevice[]> {
    if (name === undefined) return this.#devices(await interfaceRowsOn(this.#db, null), this.#pagePort)
    const row = await findInterfaceRow(this.#db, name)
    return row === undefined || row.node_id !== null ? [] : this.#devices([row], this.#pagePort)
  }

  /** Reads the interfaces of a node; stopped ones too. */
  async readOn(nodeId: string): Promise<DesiredDevice[]> {
    return this.#devices(await interfaceRowsOn(this.#db, nodeId), this.#pagePortOnNodes)
  }

  #devices(rows: readonly InterfaceRow[], pagePort: (name: string) => number | null): Promise<DesiredDevice[]> {
    return Promise.all(rows.map((row) => this.#device(row, pagePort(row.name))))
  }

  /** Returns the peer for a row. */
  peer(row: PeerRow): DevicePeer {
    const { preshared_key: sealed } = row
    return {
      publicKey: row.public_key,
      presharedKey: sealed === null ? null : this.#opened(sealed, sealContext.presharedKey(row.id)),
      allowedIps: [`${row.ip}/32`, ...(row.ipv6 === null ? [] : [`${row.ipv6}/128`]), ...networksBehind(row)],
    }
  }

  /** Returns the peer for the next key of a row, without addresses until it is used; undefined when none waits. */
  nextPeer({ id, next_public_key: publicKey, next_preshared_key: sealed }: PeerRow): DevicePeer | undefined {
    if (publicKey === null) return undefined
    const presharedKey = sealed === null ? null : this.#opened(sealed, sealContext.presharedKey(id))
    return { publicKey, presharedKey, allowedIps: [] }
  }

  /** Reads the firewall of an interface, with the isolated peers and the networks behind peers that it has now. */
  async rules(row: InterfaceRow): Promise<InterfaceRules> {
    const peers = await effectivePeerRows(this.#db, row.name, { at: this.#clock.now(), inRules: true })
    return rulesOf(row, peers, row.node_id === null ? this.#pagePort(row.name) : null)
  }

  async #device(row: InterfaceRow, pagePort: number | null): Promise<DesiredDevice> {
    const peers = row.enabled === 1 ? await effectivePeerRows(this.#db, row.name, { at: this.#clock.now() }) : []
    const config: DeviceConfig = {
      name: row.name,
      privateKey: this.#opened(row.private_key, sealContext.interfaceKey(row.name)),
      listenPort: row.listen_port,
      addresses: [row.address, ...(row.address6 === null ? [] : [row.address6])],
      mtu: row.mtu,
      routes: peers.flatMap(networksBehind),
    }
    return {
      config,
      peers: peers.flatMap((peer) => [this.peer(peer), this.nextPeer(peer) ?? []].flat()),
      rules: rulesOf(row, peers, pagePort),
      running: row.enabled === 1,
      rotations: peers.flatMap(({ public_key: from, next_public_key: to }) => (to === null ? [] : [{ from, to }])),
      expiries: peers.flatMap(expiriesOf),
    }
  }
}

function rulesOf(row: InterfaceRow, peers: readonly PeerRow[], pagePort: number | null): InterfaceRules {
  return {
    name: row.name,
    subnets: [subnet4(row.address).cidr, ...(row.address6 === null ? [] : [subnet6(row.address6).cidr])],
    networks: peers.flatMap(networksBehind).sort(),
    nat: row.nat === 1,
    forwarding: row.forwarding === 1,
    isolated: peers.flatMap((peer) => (peer.client_isolation === 1 ? addressesOf(peer) : [])),
    ...(pagePort === null ? {} : { page: { port: pagePort, addresses: gatewaysOf(row) } }),
  }
}

/** The addresses of this host on an interface, without prefixes. */
export const gatewaysOf = ({ address, address6 }: Pick<InterfaceRow, 'address' | 'address6'>): string[] => [
  subnet4(address).address,
  ...(address6 === null ? [] : [subnet6(address6).address]),
]

/** True when the peers of an interface are to ask the resolver at its gateway: they do unless it names other ones. */
export function asksGateway(row: Pick<InterfaceRow, 'address' | 'address6' | 'dns'>): boolean {
  const resolvers = splitList(row.dns).map((one) => (one.includes(':') ? canonicalIpv6(one) : one))
  const own = gatewaysOf(row)
  return resolvers.length === 0 || resolvers.some((one) => own.includes(one))
}

/** The networks behind a peer, in CIDR form without host bits. */
export function networksBehind({ networks }: Pick<PeerRow, 'networks'>): string[] {
  return networks === null ? [] : (JSON.parse(networks) as string[])
}

/** Both keys of a peer expire with it. */
function expiriesOf({ public_key: key, next_public_key: next, expires_at: at }: PeerRow): PeerExpiry[] {
  if (at === null) return []
  return [key, next].flatMap((publicKey) => (publicKey === null ? [] : [{ publicKey, at }]))
}

function addressesOf(peer: PeerRow): string[] {
  return peer.ipv6 === null ? [peer.ip] : [peer.ip, peer.ipv6]
}

/** Opens each sealed key once: with thousands of peers the drift check would do nothing else. */
function createOpenedKeys(sealer: Sealer): (sealed: string, context: string) => string {
  const known = new Map<string, string>()
  return (sealed, context) => {
    let key = known.get(sealed)
    if (key === undefined) {
      key = sealer.open(sealed, context)
      if (known.size >= 100_000) known.clear()
      known.set(sealed, key)
    }
    return key
  }
}
