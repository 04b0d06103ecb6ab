import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a service that a test can cut, with every open connection, and restore. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  readonly url: string
  cut(): void
  restore(): void
}

/** Starts a proxy on a free port of loopback that passes bytes to the service at an address. */
export async function startTcpProxy(to: string): Promise<TcpProxy> {
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
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (isCut) client.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    // By name: passkeys belong to names, and the service behind the proxy has the same one.
    url: `http://localhost:${port}`,
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
