import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openDatabase, type Database } from '@hearth/database'
import { createLog, createManualClock, type Clock } from '@hearth/runtime'
import { sql } from 'kysely'
import type { Tables } from '../../src/tables.ts'
import { Attribution } from '../../src/geography/attribution.ts'
import { openDatabases } from '../../src/geography/databases.ts'
import { createGeography } from '../../src/geography/geography.ts'
import { openSampler } from '../../src/peers/sampler.ts'
import { TrafficHistory } from '../../src/traffic/history.ts'
import { addTraffic } from '../../src/traffic/store.ts'
import { TrafficRecorder } from '../../src/traffic/recorder.ts'
import { measure, type Measured } from './measurement.ts'

const limits = { sample: 250, look: 500, pause: 100 }
const samplingInterval = 2000
const admin = { role: 'admin' } as const
const hour = 3_600_000
const geo = join(import.meta.dirname, '../../test/data/geo')

/**
 * Lives through some hours of a service whose peers all move something between two samples, with databases of places, and
 * measures the rounds in which buckets end; then examines what was kept, of one peer, of all, by country.
 */
export async function measureHistory(dataDirectory: string): Promise<Measured[]> {
  const database = openDatabase<Tables>({ file: join(dataDirectory, 'vpn.db') })
  const log = createLog({ name: 'bench', level: 'silent' })
  const clock = createManualClock(Date.parse('2026-11-21T20:00:00Z'))
  const files = { country: join(geo, 'GeoLite2-City-Test.mmdb'), asn: join(geo, 'GeoLite2-ASN-Test.mmdb') }
  const databases = await openDatabases({ files, folder: dataDirectory, log })
  const attribution = new Attribution(databases)
  const recorder = new TrafficRecorder((trx, closed) => attribution.addEndpoints(trx, closed))
  let bytes = 0
  const devices = {
    read: () => Promise.resolve({ publicKey: null, listenPort: 1, peers: states(bytes) }),
    readPeer: (_name: string, publicKey: string) => Promise.resolve(states(bytes).get(publicKey)),
  }
  const sampler = await openSampler({ database, devices, clock, log, traffic: recorder })
  const keys = [...sampler.peers()].map(({ public_key: key }) => key)
  const state = { presharedKey: null, allowedIps: [], latestHandshake: 1_700_000_000_000 }
  function states(moved: number) {
    const both = { rxBytes: moved, txBytes: moved * 3 }
    return new Map(
      keys.map((publicKey, index) => [
        publicKey,
        { ...state, ...both, publicKey, endpoint: `2.125.160.${index % 250}:9` },
      ]),
    )
  }
  /** Milliseconds of this process, as the clock of the service stands still. */
  const sample = async () => {
    clock.advance(samplingInterval)
    bytes += 1500
    const begin = performance.now()
    await sampler.sample()
    return performance.now() - begin
  }
  const slowest: number[] = []
  for (let bucket = 0; bucket < 24; bucket += 1) {
    // The time in between passes in one round that does not count.
    clock.advance(300_000 - (clock.now() % 300_000) - 2 * samplingInterval)
    await sample()
    let most = 0
    for (let round = 0; round < 30; round += 1) most = Math.max(most, await sample())
    slowest.push(most)
  }
  const ends = await measure('slowest round after buckets ended', { rounds: 1, times: 12, limit: limits.sample }, () =>
    Promise.resolve(slowest.shift() ?? 0),
  )
  // The rest of the day as it would have been.
  const ids = Array.from(sampler.peers(), ({ id }) => id)
  for (let back = 2; back < 24; back += 1) {
    const start = clock.now() - (clock.now() % 3_600_000) - back * 3_600_000
    const closed = ids.map((id, index) => {
      const from = [{ host: `2.125.160.${index % 250}`, rx: 1, tx: 1 }]
      return { id, interface: 'wgb', bucket: { start, rx: 1, tx: 1, activeMs: 1, from } }
    })
    await database.query.transaction().execute(async (trx) => {
      await addTraffic(trx, closed)
      await attribution.addEndpoints(trx, closed)
    })
  }
  const history = new TrafficHistory({ database, clock, recorder, peers: sampler })
  const geography = createGeography({
    database,
    clock,
    recorder,
    databases,
    peers: () => sampler.peers(),
    destinations: { obstacle: () => Promise.resolve(null) },
    updateProblem: () => null,
  })
  const id = [...sampler.peers()][77]?.id ?? ''
  const looks: Record<string, () => Promise<unknown>> = {
    'history of one peer, 24 h': () => history.ofPeer(id, { resolution: 'hourly' }),
    'history of all peers, 24 h': () => history.ofAll({ resolution: 'hourly' }),
    'top ten of 24 h': () => history.top({ limit: 10 }),
    'today, for the dashboard': () => history.today(),
    'countries of 24 h': () => geography.countries(admin, { by: 'endpoint', hours: 24 }),
    'networks of 24 h': () => geography.networks(admin, { by: 'endpoint', hours: 24 }),
  }
  const measured = [ends]
  for (const [name, look] of Object.entries(looks)) {
    measured.push(
      await measure(name, { rounds: 3, times: 5, limit: limits.look }, async () => {
        const begin = performance.now()
        await look()
        return performance.now() - begin
      }),
    )
  }
  measured.push(
    ...(await measurePauses(database, clock, (hours) => geography.countries(admin, { by: 'endpoint', hours }))),
  )
  await databases.close()
  await database.close()
  return measured
}

/**
 * Examines a week of hours and a year of days of all peers, and measures how long others have to wait for a turn meanwhile: a
 * look at so much takes its time, but keeps no one from the service.
 */
async function measurePauses(
  { query }: Database<Tables>,
  clock: Clock,
  look: (hours: number) => Promise<unknown>,
): Promise<Measured[]> {
  const today = clock.now() - (clock.now() % (24 * hour))
  const copy = (to: number) => sql`INSERT INTO place_traffic
    SELECT source, ${to}, peer_id, country, asn, rx_bytes, tx_bytes FROM place_traffic WHERE start = ${today}`
  for (let back = 2; back < 7 * 24; back += 1) await copy(today - back * hour).execute(query)
  for (let back = 8; back < 365; back += 1) await copy(today - back * 24 * hour).execute(query)
  const measured: Measured[] = []
  for (const [name, hours] of Object.entries({ 'a week': 168, 'a year': 8760 })) {
    const once = async () => {
      const delays = monitorEventLoopDelay({ resolution: 1 })
      delays.enable()
      await look(hours)
      delays.disable()
      return delays.max / 1e6
    }
    measured.push(
      await measure(`longest pause, countries of ${name}`, { rounds: 3, times: 3, limit: limits.pause }, once),
    )
  }
  return measured
}
