import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@hearth/runtime'
import { QueryLog } from '../../src/query-log/query-log.ts'
import { caller, type PreparedHearth } from './hearth.ts'
import { findPart } from './machine.ts'
import { median } from './median.ts'
import type { NameFiles } from './names.ts'
import { goingFirst, quietly } from './quiet.ts'
import { askFor, fresh, startServer, untilBlocked } from './trial.ts'

/** Number of exchanges of lists. */
const exchanges = 5

/** Changes that are made while a service runs. */
export interface Changes {
  /** From a kill -9 of the resolver process until a blocked name is blocked again. */
  readonly killedMs: number
  readonly ruleMs: number
  /** Cached answers after 80 rules came and went, to those before. */
  readonly cacheKept: number
  readonly exchangeLost: number
  readonly exchangeP99: number
  readonly calmP99: number
  readonly exchangeMs: number
  readonly rowsLost: number
  readonly rowsPerSecond: number
  readonly bytesPerRow: number
}

/**
 * A rule, a whole exchange of lists while queries arrive, and deaths of the resolver, on two cores; then the log at saturation on
 * one, as the generator fills the other.
 */
export async function measureChanges(hearth: PreparedHearth, names: NameFiles): Promise<Changes> {
  const changes = await withService(hearth, { names, cores: '0,1' }, async (call, pid) => {
    const before = await settledStatus(call)
    const ruleMs = await timeRule(call)
    const cacheKept = (await settledStatus(call)).cache_entries / before.cache_entries
    const exchange = await measureExchange(call, names)
    return { ruleMs, cacheKept, ...exchange, killedMs: await timeKills(pid, names.lastBlocked) }
  })
  const saturated = await withService(hearth, { names, cores: '0' }, async (call) => {
    const before = await settledStatus(call)
    const full = await goingFirst(() => askFor(names.mix, { seconds: 20, from: 200_000 }))
    const after = await settledStatus(call)
    return { rowsLost: after.log_entries_lost - before.log_entries_lost, rowsPerSecond: full.qps }
  })
  return { ...changes, ...saturated, bytesPerRow: await measureRow(hearth.queryLog) }
}

/** Measures the size of a log row on disk, with names and counters, once the service has ended. */
async function measureRow(file: string): Promise<number> {
  const log = new QueryLog({ file, clock: systemClock })
  const { total } = await log.list({}, { limit: 1, offset: 0 })
  await log.close()
  return statSync(file).size / total
}

/** Starts the service, fills its cache, works with it and ends it. */
async function withService<T>(
  { server, url, token }: PreparedHearth,
  { names, cores }: { names: NameFiles; cores: string },
  work: (call: ReturnType<typeof caller>, pid: number) => Promise<T>,
): Promise<T> {
  const call = caller(url, token)
  const since = performance.now()
  const { child, stop } = await startServer(server, cores)
  try {
    await untilBlocked(names.lastBlocked, { since, child })
    await untilAnswers(() => call('GET', '/api/dns/status'))
    await askFor(names.warm, { rate: 10_000, seconds: 1 })
    return await work(call, child.pid ?? 0)
  } finally {
    await stop()
  }
}

/** Windows without and with an exchange of lists, in turn; medians, and all that was lost, also in windows that were not quiet. */
async function measureExchange(call: ReturnType<typeof caller>, names: NameFiles) {
  const ask = fresh(names.mix, 0)
  const paced = { rate: 5000, seconds: 6 }
  const list = (await call('GET', '/api/dns/blocklists')).find((each: { enabled: boolean }) => each.enabled)
  let exchangeLost = 0
  const exchanging = async () => {
    const asking = ask(paced)
    await pause(1500)
    const began = performance.now()
    // Switched off and on again: everything is compiled again and exchanged twice.
    await call('PUT', `/api/dns/blocklists/${list.id}`, { enabled: false })
    await call('PUT', `/api/dns/blocklists/${list.id}`, { enabled: true })
    const tookMs = (performance.now() - began) / 2
    const load = await asking
    exchangeLost += load.lost
    return { ...load, tookMs }
  }
  const calm: number[] = []
  const rounds: Awaited<ReturnType<typeof exchanging>>[] = []
  while (rounds.length < exchanges) {
    calm.push((await quietly(() => ask(paced))).p99)
    rounds.push(await quietly(exchanging))
  }
  return {
    exchangeLost,
    exchangeP99: median(rounds.map(({ p99 }) => p99)),
    calmP99: median(calm),
    exchangeMs: median(rounds.map(({ tookMs }) => tookMs)),
  }
}

/** The status once it holds what was before: the resolver tells it every second. */
async function settledStatus(call: ReturnType<typeof caller>) {
  await pause(3000)
  return await call('GET', '/api/dns/status')
}

async function untilAnswers(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await ask()
      return
    } catch {
      await pause(100)
    }
  }
}

/** Kills the resolver process five times; the median of how long names stay unanswered, milliseconds. */
async function timeKills(pid: number, blocked: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 5; n++) {
    const resolver = findPart(pid, 'hearth-vpn resolver')
    if (resolver === undefined) throw new Error('there is no resolver process')
    process.kill(resolver, 'SIGKILL')
    times.push(await untilBlocked(blocked, { since: performance.now() }))
    // It has lived long enough to be started again at once.
    await pause(11_000)
  }
  return median(times)
}

/** From the request for a rule until it is in force, median of 40 after as many that no one counts, milliseconds. */
async function timeRule(call: ReturnType<typeof caller>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 80; n++) {
    const began = performance.now()
    const { id } = await call('POST', '/api/dns/rules', { action: 'block', domain: `rule-${n}.example` })
    times.push(performance.now() - began)
    await call('DELETE', `/api/dns/rules/${id}`)
  }
  return median(times.slice(40))
}
