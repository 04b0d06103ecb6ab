import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A program for two hosts of a test that measures a TCP stream: `serve ADDRESS` says its port; `down HOST PORT` and
 * `up HOST PORT` stream to and from the caller and say the rate in Mbit/s, as the receiver saw it.
 */

/** The kernel lets a second's worth through at once before a limit holds, milliseconds. */
const warmUp = 1000
const window = 4000

async function receive(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => (bytes += chunk.length))
  await pause(warmUp)
  const [begin, before] = [performance.now(), bytes]
  await pause(window)
  return ((bytes - before) * 8) / 1000 / (performance.now() - begin)
}

function send(socket: Socket): void {
  const data = Buffer.alloc(32_768)
  const fill = () => {
    while (socket.write(data));
  }
  socket.on('drain', fill)
  fill()
}

function serve(address: string): void {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (first) => {
      if (first[0] === 'd'.charCodeAt(0)) send(socket)
      else void receive(socket).then((rate) => socket.write(`${rate}\n`))
    })
  })
  server.listen(0, address, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

function stream(direction: string, host: string, port: number): void {
  const socket = connect(port, host)
  const end = (rate: unknown) => {
    process.stdout.write(`${String(rate)}\n`)
    process.exit(0)
  }
  socket.write(direction)
  if (direction === 'down') void receive(socket).then(end)
  else {
    socket.once('data', (rate) => end(rate.toString().trim()))
    send(socket)
  }
}

if (import.meta.main) {
  const [verb = '', host = '', port] = process.argv.slice(2)
  if (verb === 'serve') serve(host)
  else stream(verb, host, Number(port))
}
