import { randomInt } from 'node:crypto'
import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import { createLog, createManualClock } from '@hearth/runtime'
import { openConnections } from '../src/connections/recorder.ts'
import { migrations } from '../src/database/migrations/index.ts'
import type { PeerRow, Tables } from '../src/tables.ts'
import { handshakeLifetime } from '../src/peers/followed-peer.ts'
import { openSampler } from '../src/peers/sampler.ts'
import { insertPeerRow } from '../src/peers/store.ts'
import { TrafficHistory } from '../src/traffic/history.ts'
import { TrafficRecorder, type OnClosed } from '../src/traffic/recorder.ts'
import type { PeerState } from '../src/wireguard/device.ts'

const log = createLog({ name: 'test', level: 'silent' })

function peerRow(id: string, on: string): PeerRow {
  const number = Number(id.slice(1))
  const texts = { id, name: id, name_key: id, interface: on, ip: `10.8.0.${number}`, public_key: `key ${id}` }
  const switches = {
    persistent_keepalive: 25,
    enabled: 1,
    expires_at: null,
    client_isolation: 0,
    dns_number: randomInt(1, 2 ** 31 - 1),
    dns_filtering: 1,
    dns_lists: null,
    dns_logging: 1,
    tags: '[]',
    tag_keys: '',
    limit_down: null,
    limit_up: null,
    networks: null,
    given_routes: null,
    next_public_key: null,
    next_private_key: null,
    next_preshared_key: null,
    next_due: null,
  }
  const keys = {
    ipv6: null,
    private_key: null,
    preshared_key: null,
    routing_mode: 'full_tunnel',
    allowed_ips: '[]',
  } as const
  return { ...texts, ...switches, ...keys, ip_number: number, created_at: 0, updated_at: 0 }
}

/** A sampler on its own database, with the interfaces `wg0` and `wg1` and devices whose counters the test sets. */
export async function openTrafficFixture(
  location: DatabaseLocation,
  peers: Record<string, string>,
  onClosed?: OnClosed,
) {
  const database = openDatabase<Tables>(location)
  await migrate(database.query, migrations)
  const clock = createManualClock(Date.parse('2026-11-20T22:58:00Z'))
  for (const [index, name] of ['wg0', 'wg1'].entries()) {
    const texts = { name, address: `10.${index}.0.1/24`, address6: null, dns: '', private_key: '', public_key: name }
    const numbers = { listen_port: index + 1, mtu: 1420, nat: 1, forwarding: 1, enabled: 1, next_host: 0 }
    await database.query
      .insertInto('interfaces')
      .values({ ...texts, ...numbers, created_at: 0, updated_at: 0 })
      .execute()
  }
  for (const [id, on] of Object.entries(peers)) await insertPeerRow(database.query, peerRow(id, on))
  const counters = new Map<string, Partial<PeerState>>()
  const devices = {
    readPeer: async (name: string, publicKey: string) =>
      [...(await devices.read(name)).peers.values()].find((state) => state.publicKey === publicKey),
    read(name: string) {
      const onDevice = [...counters].filter(([id]) => peers[id] === name)
      const none = { presharedKey: null, allowedIps: [], endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }
      const states = onDevice.map(([id, held]) => [`key ${id}`, { publicKey: `key ${id}`, ...none, ...held }] as const)
      return Promise.resolve({ publicKey: '', listenPort: 1, peers: new Map(states) })
    },
  }
  /** A process of the service: ends by being forgotten, as by kill -9, or by `flush`. */
  const start = async () => {
    const recorder = new TrafficRecorder(onClosed)
    const connections = await openConnections(database, handshakeLifetime)
    const sampler = await openSampler({ database, devices, clock, log, traffic: recorder, connections })
    const history = new TrafficHistory({ database, clock, recorder, peers: sampler })
    return { recorder, sampler, history, connections }
  }
  return { database, clock, counters, start, [Symbol.asyncDispose]: () => database.close() }
}
