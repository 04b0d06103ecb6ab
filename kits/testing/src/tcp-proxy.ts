import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A way to a service that a test can cut, with every open connection, and restore. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** The address of the service by way of the proxy. */
  readonly url: string
  cut(): void
  restore(): void
}

/** Tells whether bytes of a connection, or of the answers on it, are passed on; those that are not end the connection. */
export type BytesPass = (bytes: Buffer, isAnswer: boolean) => boolean

/**
 * Starts a proxy on a free port of loopback that passes bytes to the service at an address.
 *
 * @param watch called for each connection; without it everything is passed on
 */
export async function startTcpProxy(to: string, watch: () => BytesPass = () => () => true): Promise<TcpProxy> {
  const target = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
    }
    const passes = watch()
    client.pipe(passing((bytes) => passes(bytes, false), client)).pipe(upstream)
    upstream.pipe(passing((bytes) => passes(bytes, true), client)).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (isCut) client.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // By name: passkeys belong to names, and the service behind the proxy has the same one.
  const url = Object.assign(new URL(to), { hostname: 'localhost', port })
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    url: url.href.replace(/\/$/, ''),
    cut,
    restore: () => {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Passes bytes on as long as they may; then it ends the connection. */
const passing = (passes: (bytes: Buffer) => boolean, connection: Socket): Transform =>
  new Transform({
    transform(bytes: Buffer, _encoding, done) {
      if (passes(bytes)) done(null, bytes)
      else connection.destroy()
    },
  })
