import type { MessagePort } from 'node:worker_threads'
import { Batch } from '../sockets/batch.ts'
import { sockaddr } from '../sockets/layouts.ts'
import type { Libc } from '../sockets/libc.ts'
import { answerSlot, batchSize, FfiLines, portTag } from './ffi-lines.ts'
import type { DataSetup } from './data-config.ts'
import { openSharedState } from './shared-state.ts'
import { emptyPacket, LoopCore } from './loop-core.ts'

/** Longer queries are cut off, which makes them invalid. */
const querySlot = 1600
const idleMs = 100
/** Interval while there is no socket that wakes the loop; short in the first second, so that the first ones are found at once. */
const deafMs = 2
const youngMs = 1000
const busyMs = 10
const tickMs = 10

/**
 * Answers until it is stopped. It never goes back to the thread's event loop: it waits for its sockets and looks for updates
 * before each batch, so no message, timer or promise of this thread runs meanwhile.
 */
export function runFfiLoop(setup: DataSetup, port: MessagePort, libc: Libc): void {
  const lines = new FfiLines(libc, openSharedState(setup.shared))
  const bench = new LoopCore(setup, port, lines)
  const clients = createClientReader(libc, lines, bench)
  const upstreams = createUpstreamReader(libc, lines, bench)
  const { upstreamQueries } = bench
  const grownUpAt = performance.now() + youngMs
  let lastTick = 0
  for (;;) {
    const quietMs = lines.isListening || performance.now() > grownUpAt ? idleMs : deafMs
    const ready = lines.poller.wait(upstreamQueries.pending.count > 0 ? busyMs : quietMs)
    if (!bench.takeUpdate()) break
    bench.setClock()
    for (let n = 0; n < ready; n++) {
      const tag = lines.poller.tag(n)
      if (tag < portTag) clients(tag)
      else upstreams(tag - portTag)
    }
    if (upstreamQueries.now - lastTick >= tickMs) {
      lastTick = upstreamQueries.now
      upstreamQueries.nextBatch()
      upstreamQueries.tick()
    }
    lines.flush()
    bench.endBatch()
  }
  lines.close()
}

function createClientReader(
  libc: Libc,
  lines: FfiLines,
  { upstreamQueries, exchange }: LoopCore,
): (listener: number) => void {
  const batch = new Batch(libc, { count: batchSize, slot: querySlot, withAddresses: true })
  const packet = emptyPacket()
  packet.bytes = batch.bytes
  packet.addresses = batch.addresses
  return (listener) => {
    const socket = lines.listenerSockets[listener]!
    const count = socket < 0 ? 0 : batch.receive(socket)
    packet.listener = listener
    packet.isTunnel = lines.isTunnel[listener] === 1
    upstreamQueries.nextBatch()
    for (let n = 0; n < count; n++) {
      packet.at = n * querySlot
      packet.length = batch.length(n)
      packet.addressAt = n * sockaddr.stride
      exchange.takeQuery(packet)
    }
  }
}

function createUpstreamReader(
  libc: Libc,
  lines: FfiLines,
  { upstreamQueries, exchange }: LoopCore,
): (port: number) => void {
  const batch = new Batch(libc, { count: batchSize, slot: answerSlot, withAddresses: false })
  return (port) => {
    const socket = lines.portSockets[port]!
    if (socket < 0) return
    const count = batch.receive(socket)
    // Ready without a datagram: an error is pending, such as a closed port at the other end.
    if (count < 0) upstreamQueries.portFailed(port)
    for (let n = 0; n < count; n++) exchange.takeAnswer(port, batch.bytes, n * answerSlot, batch.length(n))
  }
}
