import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { systemClock } from '@hearth/runtime/clock'
import { SettledClock } from '@hearth/runtime/settled-clock'
import { setThreadPriority, ThreadPriority } from '../thread-priority.ts'
import { QueryWatch } from '../hints/query-watch.ts'
import { textOfName } from './interned-names.ts'
import { LogRetention } from './log-retention.ts'
import { LogWriter } from './log-writer.ts'
import type { FromWriter, ToWriter, WriterStart } from './writer-messages.ts'

/*
 * The thread that writes the query log, in the resolver process; started with a `WriterStart` as `workerData`. It examines the
 * rings every `pauseMs`. What comes after a quiet second is written at once; what comes after that waits for a second or for
 * `muchBytes`, because each transaction costs the disk some pages. When it falls behind, it raises its priority to that of the
 * answering thread, also during a write, so that no answered query is lost.
 */
const pauseMs = 200
const restMs = 1000
const muchBytes = 128 << 10
const backlogBytes = 2 << 20
const upkeepMs = 100
const retentionEveryMs = 600_000
const reportEveryMs = 10_000

const port = parentPort as MessagePort
const start = workerData as WriterStart
const retention = new LogRetention(start.retentionDays, new SettledClock(systemClock))
const writer = new LogWriter(start.file, start.rings, retention)
follow(start.watched)
writer.useUpstreams(start.upstreams ?? [])
const post = (message: FromWriter): void => port.postMessage(message)

let isStopping = false
let lastWrite = -Infinity
let lastRetention = -Infinity
let lastReport = -Infinity
let lost = 0
let failure: string | null = null
let isHurrying = false
/** Queries of nodes that wait until entries are not being deleted. */
const batches: Extract<ToWriter, { type: 'batch' }>[] = []

/** Looks for what the hints want; a watch that is off is gone with all it has seen. */
function follow(watched: WriterStart['watched']): void {
  if (!watched.tunnels && !watched.blocked) writer.watch = undefined
  else {
    writer.watch ??= new QueryWatch(textOfName)
    writer.watch.follow(watched)
  }
}

function keepUp(): void {
  const isBehind = writer.waiting > (isHurrying ? backlogBytes / 4 : backlogBytes)
  if (isBehind === isHurrying) return
  isHurrying = isBehind
  setThreadPriority(isBehind ? ThreadPriority.answering : ThreadPriority.usual)
}

function write(clock?: () => number): void {
  const count = writer.write(keepUp, clock)
  lastWrite = performance.now()
  if (count > 0 || writer.lost !== lost) post({ type: 'wrote', count, lost: writer.lost })
  lost = writer.lost
  if (writer.failure !== failure) post({ type: 'failure', message: writer.failure })
  failure = writer.failure
}

/** Tells what the written queries show. A failure costs a hint, never the log. */
function report(): void {
  lastReport = performance.now()
  void writer.watch?.report(Date.now()).then(
    (found) => found && post({ type: 'noticed', report: found }),
    (error: unknown) => process.stderr.write(`hints at queries: ${String(error)}\n`),
  )
}

function turn(): void {
  const begin = performance.now()
  // What was said before an entry was made counts for it: a thread that gets the processor late finds its timer first.
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
    take(next.message as ToWriter)
  keepUp()
  if (begin - lastRetention > retentionEveryMs) {
    lastRetention = begin
    writer.retain(Date.now())
  }
  if (writer.isDue(Date.now) && (begin - lastWrite > restMs || writer.waiting > muchBytes)) write(Date.now)
  if (begin - lastReport > reportEveryMs) report()
  while (writer.hasUpkeep && performance.now() - begin < upkeepMs) writer.work()
  if (!writer.hasUpkeep) writeBatches()
  if (isStopping) return finish()
  setTimeout(turn, writer.hasUpkeep ? 1 : Math.max(1, pauseMs - (performance.now() - begin)))
}

/** What was answered here meanwhile is written first, so that queries stand in the order of time. */
function writeBatches(): void {
  if (batches.length > 0) write()
  for (const { id, batch } of batches.splice(0)) {
    const taken = writer.takeBatch(batch, Date.now())
    if (taken !== undefined && (taken.count > 0 || writer.lost !== lost))
      post({ type: 'wrote', count: taken.count, lost: writer.lost })
    lost = writer.lost
    const error = taken === undefined ? (writer.failure ?? 'the file cannot be written') : null
    post({ type: 'done', task: 'batch', id, last: taken?.last ?? 0, error })
  }
}

/** Writes what waits, after the pending purges. */
function finish(): void {
  for (let tries = 0; writer.waiting > 0 && tries < 8; tries += 1) write()
  while (writer.hasUpkeep) writer.work()
  writeBatches()
  writer.close()
  post({ type: 'done', task: 'stop', error: writer.failure })
  port.close()
}

function take(message: ToWriter): void {
  switch (message.type) {
    case 'settings':
      retention.days = message.retentionDays
      follow(message.watched)
      lastRetention = -Infinity
      return
    case 'clients':
      return writer.useClients(message.clients)
    case 'clients-changed':
      return writer.changeClients(message.set, message.removed)
    case 'upstreams':
      return writer.useUpstreams(message.labels)
    case 'purge':
      // Entries in the rings were most likely made before the purge, so it must find them.
      write()
      return writer.purge({ before: message.before, client: message.client }, ({ removed, error }) =>
        post({ type: 'done', task: 'purge', id: message.id, removed, error }),
      )
    case 'batch':
      batches.push(message)
      return
    case 'stop':
      isStopping = true
  }
}

port.on('message', take)
turn()
