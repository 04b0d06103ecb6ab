import type { Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

const maxTries = 50

/**
 * Listens with a UDP socket and a TCP server on one port. Port 0 is drawn until both get the same one: someone else may have it
 * in one of the two. What does not listen in the end is closed.
 */
export async function listenOnBoth<Udp extends Socket, Tcp extends Server>(
  make: { readonly socket: () => Udp; readonly server: () => Tcp },
  fixture: { readonly address: string; readonly port: number },
): Promise<{ readonly socket: Udp; readonly server: Tcp; readonly port: number }> {
  for (let tries = 1; ; tries++) {
    const server = make.server()
    const socket = make.socket()
    try {
      server.listen(fixture.port, fixture.address)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      socket.bind(port, fixture.address)
      await once(socket, 'listening')
      return { socket, server, port }
    } catch (error) {
      socket.close()
      server.close()
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || fixture.port !== 0 || tries === maxTries) throw error
    }
  }
}
