import type { MessagePort } from 'node:worker_threads'
import { DgramLines } from './dgram-lines.ts'
import type { DataSetup } from './data-config.ts'
import { emptyPacket, LoopCore } from './loop-core.ts'

const tickMs = 20

/** Answers by `dgram`, a datagram at a time, until it is stopped: for systems without FFI. Slower, otherwise the same. */
export function runDgramLoop(setup: DataSetup, port: MessagePort): void {
  const packet = emptyPacket()
  const lines = new DgramLines({
    query(bytes, listener, addresses) {
      if (!begin()) return
      packet.bytes = bytes
      packet.length = bytes.length
      packet.listener = listener.number
      packet.isTunnel = listener.isTunnel
      packet.addresses = addresses
      bench.upstreamQueries.nextBatch()
      bench.exchange.takeQuery(packet)
    },
    answer(bytes, upstreamPort) {
      if (begin()) bench.exchange.takeAnswer(upstreamPort, bytes, 0, bytes.length)
    },
    failed(upstreamPort) {
      if (begin()) bench.upstreamQueries.portFailed(upstreamPort)
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
    note: (note) => port.postMessage(note),
  })
  const bench = new LoopCore(setup, port, lines)
  const timer = setInterval(() => {
    if (!begin()) return
    bench.upstreamQueries.nextBatch()
    bench.upstreamQueries.tick()
    bench.endBatch()
  }, tickMs)

  function begin(): boolean {
    const goesOn = bench.takeUpdate()
    if (goesOn) bench.setClock()
    else {
      clearInterval(timer)
      lines.close()
      port.close()
    }
    return goesOn
  }
}
