import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import { createLog, createManualClock } from '@hearth/runtime'
import { openConnections } from '../src/connections/recorder.ts'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { handshakeLifetime } from '../src/peers/followed-peer.ts'
import { openSampler } from '../src/peers/sampler.ts'
import { insertPeerRow } from '../src/peers/store.ts'
import { TrafficHistory } from '../src/traffic/history.ts'
import { TrafficRecorder, type OnClosed } from '../src/traffic/recorder.ts'
import type { PeerState } from '../src/wireguard/device.ts'
import { interfaceRow, peerRow } from './stored-rows.ts'

const log = createLog({ name: 'test', level: 'silent' })

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
    const row = interfaceRow({ name, address: `10.${index}.0.1/24`, listen_port: index + 1, public_key: name })
    await database.query.insertInto('interfaces').values(row).execute()
  }
  for (const [id, on] of Object.entries(peers)) await insertPeerRow(database.query, peerRow(id, { interface: on }))
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
