import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Batch } from '../../src/dns/sockets/batch.ts'
import { openLibc } from '../../src/dns/sockets/libc.ts'
import { openConnectedSocket } from '../../src/dns/sockets/open-socket.ts'
import { Poller } from '../../src/dns/sockets/poller.ts'
import { median } from './median.ts'

/** Result of the load generator. Latencies in microseconds. */
export interface LoadResult {
  readonly qps: number
  readonly sent: number
  readonly received: number
  /** Queries without an answer within two seconds. */
  readonly lost: number
  /** Answers that are 0.0.0.0 or ::. */
  readonly blockedShare: number
  /** SERVFAIL and REFUSED. */
  readonly failedShare: number
  /** NXDOMAIN. */
  readonly missingShare: number
  readonly p50: number
  readonly p99: number
  /** The middle one of the p99 of each second: what else happens on the machine now and then is not in it. */
  readonly usualP99: number
  /** Of the generator itself. */
  readonly cpuSeconds: number
  /** Position in the file where it stopped. */
  readonly next: number
}

/**
 * Asks a DNS server on loopback: batched system calls, so that one core offers more than any server here can answer. Without
 * `--rate` it keeps `--window` queries outstanding (saturation), with it it paces them (latency). Prints a `LoadResult`.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    file: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '0' },
    window: { type: 'string', default: '128' },
    clients: { type: 'string', default: '8' },
    from: { type: 'string', default: '0' },
  },
})
const port = Number(values.port)
const seconds = Number(values.seconds)
const rate = Number(values.rate)
const clients = Number(values.clients)
const window = Math.ceil(Number(values.window) / clients)
const types: Record<string, number> = { A: 1, AAAA: 28, HTTPS: 65 }
const slot = 512
const batchSize = 64
const lostAfterMs = 2000

/** All queries in wire form; query n is `wire[start[n] .. start[n + 1])`. Ids are put in when they are sent. */
function encodeQueries(text: Buffer): { wire: Uint8Array; start: Uint32Array; count: number } {
  let lines = 0
  for (const byte of text) if (byte === 10) lines += 1
  const wire = new Uint8Array(text.length + lines * 20)
  const start = new Uint32Array(lines + 1)
  let [at, count] = [0, 0]
  for (let i = 0; i < text.length;) {
    start[count++] = at
    wire[at + 2] = 1
    wire[at + 5] = 1
    at += 12
    let label = at++
    for (; text[i] !== 32; i++) {
      if (text[i] === 46) {
        wire[label] = at - label - 1
        label = at++
      } else wire[at++] = text[i]!
    }
    wire[label] = at - label - 1
    wire[at++] = 0
    const end = text.indexOf(10, i)
    const type = types[text.toString('latin1', i + 1, end)] ?? 1
    wire[at++] = type >> 8
    wire[at++] = type & 255
    at += 1
    wire[at++] = 1
    i = end + 1
  }
  start[count] = at
  return { wire, start, count }
}

/** Latencies in microseconds, in buckets about 3 % wide. */
class Histogram {
  readonly #buckets = new Uint32Array(1024)
  #total = 0

  add(micros: number): void {
    this.#buckets[Math.min(1023, Math.floor(Math.log2(1 + micros) * 24))]! += 1
    this.#total += 1
  }

  percentile(share: number): number {
    let left = this.#total * share
    for (let bucket = 0; bucket < 1024; bucket++) {
      left -= this.#buckets[bucket]!
      if (left <= 0) return Math.round(2 ** ((bucket + 0.5) / 24) - 1)
    }
    return Number.POSITIVE_INFINITY
  }
}

const queries = encodeQueries(readFileSync(values.file ?? ''))
const libc = await openLibc()
const shape = { count: batchSize, slot, withAddresses: false }
const [out, incoming, poller] = [new Batch(libc, shape), new Batch(libc, shape), new Poller(libc)]
const sockets: number[] = []
const sentAt: Float64Array[] = []
const outstanding = new Int32Array(clients)
const nextId = new Uint16Array(clients)
for (let k = 0; k < clients; k++) {
  const socket = openConnectedSocket(libc, { address: '127.0.0.1', port })
  sockets.push(socket)
  sentAt.push(new Float64Array(65_536))
  poller.add(socket, k)
}
const latency = new Histogram()
/** The same by the second in which an answer came. */
const latencyBySecond: Histogram[] = []
const rcodes = new Uint32Array(16)
let [sent, received, lost, nulls, next] = [0, 0, 0, 0, Number(values.from)]
let start = 0

function send(k: number, count: number, now: number): void {
  for (let m = 0; m < count; m++) {
    if (next >= queries.count) next = 0
    const [from, to, at] = [queries.start[next]!, queries.start[next + 1]!, m * slot]
    next += 1
    for (let i = from, j = at; i < to; i++, j++) out.bytes[j] = queries.wire[i]!
    const id = nextId[k]!++
    if (sentAt[k]![id] !== 0) {
      lost += 1
      outstanding[k]! -= 1
    }
    sentAt[k]![id] = now
    out.bytes[at] = id >> 8
    out.bytes[at + 1] = id & 255
    out.setLength(m, to - from)
  }
  out.send(sockets[k]!, 0, count)
  outstanding[k]! += count
  sent += count
}

function receive(k: number): number {
  const count = incoming.receive(sockets[k]!)
  const now = performance.now()
  for (let m = 0; m < count; m++) {
    const at = m * slot
    const id = (incoming.bytes[at]! << 8) | incoming.bytes[at + 1]!
    const began = sentAt[k]![id]!
    if (began === 0) continue
    sentAt[k]![id] = 0
    outstanding[k]! -= 1
    received += 1
    latency.add((now - began) * 1000)
    ;(latencyBySecond[Math.floor((now - start) / 1000)] ??= new Histogram()).add((now - began) * 1000)
    rcodes[incoming.bytes[at + 3]! & 15]! += 1
    if (incoming.bytes[at + 7]! > 0 && isNull(incoming.bytes, at + 12)) nulls += 1
  }
  return count
}

/** Returns true if the first answer is 0.0.0.0 or ::. */
function isNull(bytes: Uint8Array, question: number): boolean {
  let at = question
  while (bytes[at] !== 0) at += bytes[at]! + 1
  at += 5
  at += bytes[at]! >= 192 ? 2 : 0
  const [type, length] = [bytes[at + 1], bytes[at + 9]!]
  if (type !== 1 && type !== 28) return false
  for (let i = 0; i < length; i++) if (bytes[at + 10 + i] !== 0) return false
  return true
}

function giveUp(now: number): void {
  for (let k = 0; k < clients; k++) {
    for (let id = 0; id < 65_536; id++) {
      const began = sentAt[k]![id]!
      if (began === 0 || now - began < lostAfterMs) continue
      sentAt[k]![id] = 0
      outstanding[k]! -= 1
      lost += 1
    }
  }
}

function pump(milliseconds: number): void {
  const ready = poller.wait(milliseconds)
  for (let e = 0; e < ready; e++) while (receive(poller.tag(e)) === batchSize);
}

start = performance.now()
let checked = start
for (let now = start; now < start + seconds * 1000; now = performance.now()) {
  if (rate > 0) {
    const due = Math.floor(((now - start) * rate) / 1000) - sent
    for (let m = 0; m < due; m++) send(sent % clients, 1, performance.now())
  } else {
    for (let k = 0; k < clients; k++) {
      const room = Math.min(batchSize, window - outstanding[k]!)
      if (room > window >> 2) send(k, room, now)
    }
  }
  if (now - checked > 500) {
    checked = now
    giveUp(now)
  }
  const dueInMs = ((sent + 1) / rate) * 1000 - (performance.now() - start)
  // A millisecond is too long a pause between two paced queries; then it asks without waiting.
  pump(rate > 0 ? (dueInMs >= 1 ? 1 : 0) : 1)
}
const finished = performance.now()
while (performance.now() < finished + 300) pump(10)
for (let k = 0; k < clients; k++) lost += outstanding[k]!
const { user, system } = process.cpuUsage()
const result: LoadResult = {
  qps: Math.round((received / (finished - start)) * 1000),
  sent,
  received,
  lost,
  blockedShare: nulls / received,
  failedShare: (rcodes[2]! + rcodes[5]!) / received,
  missingShare: rcodes[3]! / received,
  p50: latency.percentile(0.5),
  p99: latency.percentile(0.99),
  usualP99: median(latencyBySecond.slice(0, Math.floor(seconds)).map((second) => second.percentile(0.99))),
  cpuSeconds: (user + system) / 1e6,
  next,
}
process.stdout.write(JSON.stringify(result))
process.exit(0)
