import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { InterfaceRow, PeerRow, Tables } from '../database/tables.ts'
import { effectivePeerRows } from '../peers/store.ts'
import type { DeviceConfig, DevicePeer } from '../wireguard/device.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import type { InterfaceRules } from '../wireguard/firewall-rules.ts'
import { allInterfaceRows, findInterfaceRow } from './store.ts'
import { subnet4, subnet6 } from './subnet.ts'

/** What the database wants the machine to be; the data plane asks for it when it starts, repairs and changes. */
export interface DesiredDevices {
  /** All interfaces, or the one of that name; stopped ones too. */
  read(name?: string): Promise<DesiredDevice[]>
  /** The device for a row. */
  config(row: InterfaceRow): DeviceConfig
  /** The peer for a row. */
  peer(row: PeerRow): DevicePeer
  /** The firewall of an interface, with the isolated peers it has now. */
  rules(row: InterfaceRow): Promise<InterfaceRules>
}

/** The place a sealed key belongs to; a key copied to another row does not open. */
export const sealedPlace = {
  interfaceKey: (name: string) => `interfaces.private_key:${name}`,
  peerKey: (id: string) => `peers.private_key:${id}`,
  presharedKey: (id: string) => `peers.preshared_key:${id}`,
}

export function createDesiredDevices(parts: { db: Kysely<Tables>; sealer: Sealer; clock: Clock }): DesiredDevices {
  const { db, sealer, clock } = parts
  const opened = createOpenedKeys(sealer)

  function peer(row: PeerRow): DevicePeer {
    return {
      publicKey: row.public_key,
      presharedKey: row.preshared_key === null ? null : opened(row.preshared_key, sealedPlace.presharedKey(row.id)),
      allowedIps: [`${row.ip}/32`, ...(row.ipv6 === null ? [] : [`${row.ipv6}/128`])],
    }
  }

  function config(row: InterfaceRow): DeviceConfig {
    return {
      name: row.name,
      privateKey: opened(row.private_key, sealedPlace.interfaceKey(row.name)),
      listenPort: row.listen_port,
      addresses: [row.address, ...(row.address6 === null ? [] : [row.address6])],
      mtu: row.mtu,
    }
  }

  async function device(row: InterfaceRow): Promise<DesiredDevice> {
    const peers = row.enabled === 1 ? await effectivePeerRows(db, row.name, { at: clock.now() }) : []
    return { config: config(row), peers: peers.map(peer), rules: rulesOf(row, peers), running: row.enabled === 1 }
  }

  return {
    config,
    peer,
    rules: async (row) => rulesOf(row, await effectivePeerRows(db, row.name, { at: clock.now(), isolated: true })),
    async read(name) {
      const rows = name === undefined ? await allInterfaceRows(db) : [await findInterfaceRow(db, name)]
      return Promise.all(rows.filter((row) => row !== undefined).map(device))
    },
  }
}

function rulesOf(row: InterfaceRow, peers: readonly PeerRow[]): InterfaceRules {
  return {
    name: row.name,
    subnets: [subnet4(row.address).cidr, ...(row.address6 === null ? [] : [subnet6(row.address6).cidr])],
    nat: row.nat === 1,
    forwarding: row.forwarding === 1,
    isolated: peers.flatMap((peer) => (peer.client_isolation === 1 ? addressesOf(peer) : [])),
  }
}

function addressesOf(peer: PeerRow): string[] {
  return peer.ipv6 === null ? [peer.ip] : [peer.ip, peer.ipv6]
}

/** Opens each sealed key once: with thousands of peers the drift check would do nothing else. */
function createOpenedKeys(sealer: Sealer): (sealed: string, place: string) => string {
  const known = new Map<string, string>()
  return (sealed, place) => {
    let key = known.get(sealed)
    if (key === undefined) {
      key = sealer.open(sealed, place)
      if (known.size >= 100_000) known.clear()
      known.set(sealed, key)
    }
    return key
  }
}
