import { statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { LogRetention } from '../src/query-log/log-retention.ts'
import { LogWriter } from '../src/query-log/log-writer.ts'
import type { PageRequest, QueryFilter } from '../src/query-log/page-search.ts'
import { QueryLog } from '../src/query-log/query-log.ts'
import { alwaysSettled } from '../test/query-log-fixture.ts'
import { createRingMemory, LogRing } from '../src/dns/log-ring.ts'
import { areAllWithin, measure, tableOf, type Measured } from './scenario/measurement.ts'
import { clientCount, nameOf, syntheticQueries } from './scenario/synthetic-queries.ts'

/**
 * `npm run bench -- vpn/query-log-pages [ROWS]`: pages of a log of five million queries in seven days, through the reading
 * thread as the service has it, while a query comes before each page, so that none is the same as the last. Each filter is
 * asked in three ways: for the first time (nothing about it is remembered), again, and for a page deep down. Ends with 1 when
 * a limit is missed.
 */
const limitMs = 50
const statisticsLimitMs = 500
const rounds = 2
const times = 24
const week = 7 * 86_400_000

async function main(count: number): Promise<boolean> {
  await using folder = await temporaryDirectory('bench')
  const file = join(folder.path, 'query-log.db')
  const memory = createRingMemory()
  const ring = new LogRing(memory)
  const writer = new LogWriter(file, [memory], new LogRetention(30, alwaysSettled))
  const peers = Array.from({ length: clientCount }, (_, n) => ({
    number: n + 1,
    id: `id-${n + 1}`,
    name: `Peer ${n + 1}`,
  }))
  writer.useClients(peers.map((peer) => Object.assign(peer, { addresses: [`10.0.0.${peer.number}`] })))
  const next = syntheticQueries(7)
  const begin = Date.now() - week
  const began = performance.now()
  for (let n = 0; n < count; n++) {
    ring.append(next(Math.floor(begin + (n / count) * week)))
    if (n % 50_000 !== 49_999) continue
    ring.publish()
    writer.write()
  }
  ring.publish()
  writer.write()
  const notes = [
    `${count} entries written in ${((performance.now() - began) / 1000).toFixed(1)} s, ${(statSync(file).size / count).toFixed(1)} bytes each`,
  ]
  const log = new QueryLog({ file, clock: systemClock })
  const come = () => {
    ring.append(next(Date.now()))
    ring.publish()
    writer.write()
  }
  const cold = performance.now()
  await log.list({ domain: 'cdn' }, { limit: 100, offset: 0 })
  notes.push(
    `the first page of all, with the thread's start and everything read: ${Math.round(performance.now() - cold)} ms`,
  )
  const measured = [...(await measurePages(log, come)), ...(await measureRest(log, come))]
  notes.push(`load of this machine at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`)
  process.stdout.write(`${tableOf(measured)}\n${notes.join('\n')}\n`)
  await log.close()
  writer.close()
  return areAllWithin(measured)
}

/** Every combination of the filters; the numbers make each one new. */
function filtersOf(number: number): Record<string, QueryFilter> {
  const parts: Record<string, QueryFilter> = {
    client: { client: `Peer ${1 + (number % clientCount)}` },
    domain: { domain: ['cdn', 'a', `-${100 + number}`, nameOf(150_000 + number), 'no such name'][number % 5]! },
    status: { status: number % 2 },
    type: { type: [1, 28, 65, 12][number % 4]! },
    reason: { reason: [0, 2, 3][number % 3]! },
    period: { start: Date.now() - week * 0.9 + number * 1000, end: Date.now() - week * 0.05 },
  }
  const names = Object.keys(parts)
  const all: Record<string, QueryFilter> = {}
  for (let bits = 0; bits < 1 << names.length; bits++) {
    const chosen = names.filter((_, n) => (bits >> n) & 1)
    all[chosen.join(' + ') || 'no filter'] = Object.assign({}, ...chosen.map((name) => parts[name]))
  }
  return all
}

async function measurePages(log: QueryLog, come: () => void): Promise<Measured[]> {
  const timed = async (filter: QueryFilter, page: Partial<PageRequest>) => {
    come()
    const begin = performance.now()
    await log.list(filter, { limit: 100, offset: 0, ...page })
    return performance.now() - begin
  }
  const measured: Measured[] = []
  for (const name of Object.keys(filtersOf(0))) {
    const options = { rounds, times, limit: limitMs }
    const filterOf = (number: number) => filtersOf(number)[name]!
    measured.push(await measure(name, options, (number) => timed(filterOf(number), {})))
    if (measured.length % 8 !== 1) continue
    measured.push(await measure(`${name}, again`, options, () => timed(filterOf(0), {})))
    measured.push(
      await measure(`${name}, deep`, options, (number) => timed(filterOf(0), { offset: 20_000 * (1 + number) })),
    )
  }
  return measured
}

async function measureRest(log: QueryLog, come: () => void): Promise<Measured[]> {
  const timed = async (act: () => Promise<unknown>) => {
    come()
    const begin = performance.now()
    await act()
    return performance.now() - begin
  }
  const options = { rounds: 1, times: 5, limit: statisticsLimitMs }
  // Its own period each time: nothing is answered twice.
  return [
    await measure('statistics, a day', options, (number) => timed(() => log.statistics(24 + number, 'hour'))),
    await measure('statistics, everything', options, (number) => timed(() => log.statistics(700 + number, 'day'))),
    await measure('preview of a rule', options, (number) =>
      timed(() =>
        log.preview({
          rule: { action: 'block', domain: ['com', 'org', 'io'][number % 3]!, belowOnly: false, client: 0 },
          rules: [],
        }),
      ),
    ),
  ]
}

const isGood = await main(Number(process.argv[2] ?? 5_000_000))
process.exit(isGood ? 0 : 1)
