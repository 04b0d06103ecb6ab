import type { MessagePort } from 'node:worker_threads'
import { DgramLines } from './dgram-lines.ts'
import type { DataSetup } from './orders.ts'
import type { Packet } from './query-exchange.ts'
import { createWorkBench } from './work-bench.ts'

const tickMs = 20

/** Answers by `dgram`, a datagram at a time, until it is told to stop: for systems without FFI. Slower, otherwise the same. */
export function runDgramLoop(setup: DataSetup, port: MessagePort): void {
  const packet: Packet = {
    bytes: new Uint8Array(0),
    at: 0,
    length: 0,
    listener: 0,
    isTunnel: true,
    addresses: new Uint8Array(0),
    addressAt: 0,
  }
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
    note: (note) => port.postMessage(note),
  })
  const bench = createWorkBench(setup, port, lines)
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
