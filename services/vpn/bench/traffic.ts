import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSealedStorage } from '@hearth/service'
import { databaseDescription } from '../src/database/description.ts'
import type { Tables } from '../src/tables.ts'
import { addManyPeers } from './scenario/many-peers.ts'
import { areAllWithin, tableOf } from './scenario/measurement.ts'
import { measureHistory } from './scenario/traffic-history.ts'
import { measureSampler } from './scenario/sampling.ts'

/**
 * `npm run bench -- vpn/traffic [COUNT]`: what keeping the history of 10 000 peers that all move something all the time adds to
 * sampling, also in the rounds in which all their buckets end, and how long it takes to look at it. No tunnels, no HTTP. Ends
 * with 1 when a limit is missed.
 */
async function main(count: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'))
  try {
    const place = { dataDirectory: folder, databaseUrl: undefined, secretKey: undefined }
    const secretKeyFile = join(folder, 'secret.key')
    const { database } = await openSealedStorage<Tables>(databaseDescription, { ...place, secretKeyFile })
    const texts = { name: 'wgb', address: '10.64.0.1/16', address6: null, dns: '', private_key: '', public_key: 'x' }
    const numbers = { listen_port: 1, mtu: 1420, nat: 1, forwarding: 1, enabled: 1, next_host: 0 }
    await database.query
      .insertInto('interfaces')
      .values({ ...texts, ...numbers, created_at: 0, updated_at: 0 })
      .execute()
    await database.close()
    await addManyPeers(folder, 'wgb', count)
    const without = await measureSampler(folder, { rounds: 3, hasHistory: false })
    const sampler = await measureSampler(folder, { rounds: 3, hasHistory: true })
    const measured = [...without, ...sampler, ...(await measureHistory(folder))]
    const load = `load of this machine at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
    process.stdout.write(`${count} peers, medians of rounds\n${tableOf(measured)}\n${load}\n`)
    return areAllWithin(measured)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isGood = await main(Number(process.argv[2] ?? 10_000))
process.exit(isGood ? 0 : 1)
