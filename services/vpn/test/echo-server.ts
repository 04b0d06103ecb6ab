import { createHash, randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A program for two hosts of a test: `serve ADDRESS` sends back whatever it gets, after one line with the address the
 * connection came from; `send HOST PORT BYTES` sends that many random bytes and says in one JSON line what came back.
 */

/** Result of a transfer. */
export interface Transfer {
  /** Address that the other end saw the connection come from. */
  readonly seenFrom: string
  readonly bytes: number
  /** The same bytes came back in the same order. */
  readonly isIntact: boolean
}

function serve(address: string): void {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write(`${socket.remoteAddress ?? ''}\n`)
    socket.pipe(socket)
  })
  server.listen(0, address, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

async function send(host: string, port: number, bytes: number): Promise<Transfer> {
  const socket = connect(port, host)
  socket.setTimeout(10_000, () => socket.destroy(new Error('nothing came for 10 s')))
  const sent = createHash('sha256')
  const received = createHash('sha256')
  const data = randomBytes(bytes)
  sent.update(data)
  socket.end(data)
  let [count, seenFrom] = [0, undefined as string | undefined]
  for await (const chunk of socket as Socket & AsyncIterable<Buffer>) {
    const start = seenFrom === undefined ? chunk.indexOf('\n') + 1 : 0
    seenFrom ??= chunk.toString('latin1', 0, start - 1)
    received.update(chunk.subarray(start))
    count += chunk.length - start
  }
  return { seenFrom: seenFrom ?? '', bytes: count, isIntact: received.digest('hex') === sent.digest('hex') }
}

if (import.meta.main) {
  const [verb, host = '', port, bytes] = process.argv.slice(2)
  if (verb === 'serve') serve(host)
  else process.stdout.write(`${JSON.stringify(await send(host, Number(port), Number(bytes)))}\n`)
}
