import { join } from 'node:path'
import { openDatabase } from '@hearth/database'
import { createLog, systemClock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { PeerQuotaRow, Tables } from '../../src/tables.ts'
import { openConnections } from '../../src/connections/recorder.ts'
import { handshakeLifetime } from '../../src/peers/followed-peer.ts'
import { openSampler, type Sampler } from '../../src/peers/sampler.ts'
import { Quotas } from '../../src/quotas/quotas.ts'
import { TrafficRecorder } from '../../src/traffic/recorder.ts'
import type { PeerState } from '../../src/wireguard/device.ts'
import { measure, type Measured } from './measurement.ts'

const limit = 250

/**
 * Measures a round of the sampler in this process, on the database of a service that does not run, with a device that
 * changes all peers between two rounds: their counters alone, and their handshakes too, which writes every row. With the
 * history, as the service does it, or without.
 */
export async function measureSampler(
  dataDirectory: string,
  { rounds, hasHistory }: { rounds: number; hasHistory: boolean },
): Promise<Measured[]> {
  const database = openDatabase<Tables>({ file: join(dataDirectory, 'vpn.db') })
  let peers = new Map<string, PeerState>()
  const devices = {
    read: () => Promise.resolve({ publicKey: null, listenPort: 51_820, peers }),
    readPeer: (_name: string, publicKey: string) => Promise.resolve(peers.get(publicKey)),
  }
  const log = createLog({ name: 'bench', level: 'silent' })
  const sampler = await openSampler({
    database,
    devices,
    clock: systemClock,
    log,
    ...(hasHistory
      ? { traffic: new TrafficRecorder(), connections: await openConnections(database, handshakeLifetime) }
      : {}),
  })
  const followed = [...sampler.peers()]
  const connectedSince = Date.now()
  const sample = (name: string, handshake: (number: number) => number) =>
    measure(name, { rounds, times: 8, limit }, async (number) => {
      const latestHandshake = handshake(number)
      const state = { presharedKey: null, allowedIps: [], endpoint: '203.0.113.9:4000', latestHandshake }
      const bytes = { rxBytes: (number + 1) * 1500, txBytes: (number + 1) * 9000 }
      peers = new Map(followed.map(({ public_key: publicKey }) => [publicKey, { ...state, ...bytes, publicKey }]))
      return (await sampler.sample()).durationMs
    })
  const title = hasHistory ? 'sampler' : 'sampler without history'
  const measured = [
    await sample(`${title}, all counters changed`, () => 1_700_000_000_000),
    await sample(`${title}, all counters and handshakes changed`, (number) => Date.now() - 1_000_000 + number),
    await sample(`${title}, all connected, counters changed`, () => connectedSince),
    await sample(`${title}, all connected, counters and handshakes changed`, () => Date.now()),
  ]
  if (hasHistory) measured.push(await measureQuotas(sampler, database.query))
  await database.close()
  return measured
}

/** Measures the check of the quotas after a round, when every peer has one and none crosses it. */
async function measureQuotas(sampler: Sampler, db: Kysely<Tables>): Promise<Measured> {
  const now = Date.now()
  const rows = Array.from(sampler.peers(), ({ id, activity }): PeerQuotaRow => {
    const marks = JSON.stringify([{ at: now, total: activity.rx_total + activity.tx_total }])
    const values = { bytes: 1e15, counts: 'both', period: 'month', start_day: 1 } as const
    return { peer_id: id, ...values, at_limit: 'stop', slow_to: null, marks, told: 0 }
  })
  await db.transaction().execute(async (trx) => {
    for (const row of rows) await trx.insertInto('peer_quotas').values(row).execute()
  })
  const quotas = await Quotas.open({
    db,
    clock: systemClock,
    log: createLog({ name: 'bench', level: 'silent' }),
    peer(id) {
      const peer = sampler.peer(id)
      return peer && { id, name: peer.name, rx: peer.activity.rx_total, tx: peer.activity.tx_total }
    },
    sample: () => Promise.resolve(),
    limits: { refresh: () => Promise.resolve() },
    reports: { notify: () => undefined },
    onChanged: () => undefined,
  })
  return measure('quotas of all peers, after a round', { rounds: 3, times: 8, limit: limit / 20 }, async () => {
    const begin = performance.now()
    await quotas.check()
    return performance.now() - begin
  })
}
