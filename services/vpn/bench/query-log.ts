import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { statSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { temporaryDirectory } from '@hearth/testing'
import { systemClock } from '@hearth/runtime'
import { createRingMemory, LogRing } from '../src/dns/log-ring.ts'
import { QueryLog } from '../src/query-log/query-log.ts'
import type { FromWriter, ToWriter, WriterStart } from '../src/query-log/writer-messages.ts'
import { syntheticQueries } from './scenario/synthetic-queries.ts'

/**
 * `npm run bench -- vpn/query-log [SECONDS] [PER_SECOND]`: the writer's thread, fed by another one at a rate it has to keep
 * without losing an entry, and as fast as it can. Ends with 1 when a limit is missed.
 */
const limits = { rowsPerSecond: 120_000, bytesPerRow: 40 }

async function main(seconds: number, perSecond: number): Promise<boolean> {
  await using folder = await temporaryDirectory('bench')
  const steady = await feed(join(folder.path, 'steady.db'), seconds, perSecond)
  const fast = await feed(join(folder.path, 'fast.db'), 8, Infinity)
  const lines = [
    `${perSecond}/s for ${seconds} s: ${steady.written} written, ${steady.lost} lost, ${steady.bytesPerRow.toFixed(1)} bytes a row (limit ${limits.bytesPerRow}, ratio ${(steady.bytesPerRow / limits.bytesPerRow).toFixed(2)})`,
    `as fast as it can: ${Math.round(fast.rate)} rows/s (limit ${limits.rowsPerSecond}, ratio ${(fast.rate / limits.rowsPerSecond).toFixed(2)})`,
    `load of this machine at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return steady.lost === 0 && steady.bytesPerRow <= limits.bytesPerRow && fast.rate >= limits.rowsPerSecond
}

async function feed(file: string, seconds: number, perSecond: number) {
  const memory = createRingMemory()
  const start: WriterStart = { rings: [memory], file, retentionDays: 7, watched: { tunnels: true, blocked: true } }
  const worker = new Worker(new URL('../src/query-log/writer-thread.ts', import.meta.url), { workerData: start })
  let lost = 0
  worker.on('message', (message: FromWriter) => {
    if (message.type === 'wrote') ({ lost } = message)
    if (message.type === 'failure') process.stderr.write(`${message.message}\n`)
  })
  const ended = new Promise((settle) => worker.once('exit', settle))
  const ring = new LogRing(memory)
  const next = syntheticQueries(1)
  const begin = performance.now()
  let made = 0
  while (performance.now() - begin < seconds * 1000) {
    const due = Math.min(((performance.now() - begin) / 1000) * perSecond, made + 2000)
    for (; made < due && ring.waiting() < 6 << 20; made++) ring.append(next(Date.now()))
    ring.publish()
    await pause(perSecond === Infinity && ring.waiting() < 4 << 20 ? 0 : 2)
  }
  const stop: ToWriter = { type: 'stop' }
  worker.postMessage(stop, [])
  await ended
  const rate = made / ((performance.now() - begin) / 1000)
  const log = new QueryLog({ file, clock: systemClock })
  const { total } = await log.list({}, { limit: 1, offset: 0 })
  await log.close()
  return { written: total, lost: lost + made - total, rate, bytesPerRow: statSync(file).size / total }
}

const isGood = await main(Number(process.argv[2] ?? 20), Number(process.argv[3] ?? 120_000))
process.exit(isGood ? 0 : 1)
