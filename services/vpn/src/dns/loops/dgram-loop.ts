import type { MessagePort } from 'node:worker_threads'
import { DgramLines } from './dgram-lines.ts'
import type { DataSetup } from './orders.ts'
import { emptyPacket, WorkBench } from './work-bench.ts'

const tickMs = 20

/** Answers by `dgram`, a datagram at a time, until it is told to stop: for systems without FFI. Slower, otherwise the same. */
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
      bench.asking.nextBatch()
      bench.exchange.takeQuery(packet)
    },
    answer(bytes, upstreamPort) {
      if (begin()) bench.exchange.takeAnswer(upstreamPort, bytes, 0, bytes.length)
    },
    failed(upstreamPort) {
      if (begin()) bench.asking.portFailed(upstreamPort)
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
    note: (note) => port.postMessage(note),
  })
  const bench = new WorkBench(setup, port, lines)
  const timer = setInterval(() => {
    if (!begin()) return
    bench.asking.nextBatch()
    bench.asking.tick()
    bench.endBatch()
  }, tickMs)

  function begin(): boolean {
    const goesOn = bench.takeNews()
    if (goesOn) bench.setClock()
    else {
      clearInterval(timer)
      lines.close()
      port.close()
    }
    return goesOn
  }
}
