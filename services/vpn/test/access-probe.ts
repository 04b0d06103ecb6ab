import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'

/**
 * A program for the hosts of a test: `serve ADDRESSES PORTS` answers UDP and TCP at each of them; `send` reads probes as JSON from
 * its argument and says in one JSON line which of them were answered within two seconds.
 */

/** A packet to send, and an answer to wait for. */
export interface Probe {
  readonly from: string
  readonly to: string
  readonly protocol: 'udp' | 'tcp'
  readonly port: number
}

async function serve(addresses: readonly string[], ports: readonly number[]): Promise<void> {
  for (const address of addresses)
    for (const port of ports) {
      const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4' })
      socket.on('message', (message, { address: from, port: back }) => socket.send(message, back, from))
      const server = createServer((connection) => connection.on('error', () => undefined).end('here\n'))
      await Promise.all([
        new Promise<void>((resolve) => socket.bind(port, address, resolve)),
        new Promise<void>((resolve) => server.listen(port, address, resolve)),
      ])
    }
  process.stdout.write('ready\n')
}

function isAnswered({ from, to, protocol, port }: Probe): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (answered: boolean) => {
      clearTimeout(patience)
      close()
      resolve(answered)
    }
    const patience = setTimeout(() => end(false), 2000)
    let close: () => void
    if (protocol === 'tcp') {
      const socket = connect({ host: to, port, localAddress: from })
      close = () => socket.destroy()
      socket.on('error', () => end(false)).on('data', () => end(true))
      return
    }
    const socket = createSocket(from.includes(':') ? 'udp6' : 'udp4')
    close = () => socket.close()
    socket.on('message', () => end(true)).on('error', () => end(false))
    socket.bind(0, from, () => socket.send('probe', port, to))
  })
}

if (import.meta.main) {
  const [verb, first = '', second = ''] = process.argv.slice(2)
  if (verb === 'serve') await serve(first.split(','), second.split(',').map(Number))
  else process.stdout.write(JSON.stringify(await Promise.all((JSON.parse(first) as Probe[]).map(isAnswered))))
}
