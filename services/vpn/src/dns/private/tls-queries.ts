import { createServer, type Server, type TLSSocket } from 'node:tls'
import { serveConnection } from '../tcp/client-connection.ts'
import type { Certificate } from './certificate.ts'
import type { Door } from './door.ts'

const handshakeMs = 5000
/** Phones keep their connection between two pages. */
const idleMs = 60_000

/** What the TLS servers have in common. */
export const tlsOptions = ({ cert, key }: Pick<Certificate, 'cert' | 'key'>) =>
  ({ cert, key, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs }) as const

/**
 * DNS over TLS (RFC 7858). The host name that a client asks for names its device; any other is refused before the key is used.
 * Connections come by `emit('connection')`, after the door let them in.
 */
export function createTlsQueries(door: Door, certificate: Certificate): Server {
  const server = createServer({
    ...tlsOptions(certificate),
    SNICallback(name, done) {
      if (door.secrets.clientOf(door.secrets.ofHostName(name)) > 0) done(null)
      else done(new Error('nobody has this name'))
    },
  })
  server.on('secureConnection', (socket) => takeDevice(door, socket))
  return server
}

function takeDevice(door: Door, socket: TLSSocket): void {
  const hashed = door.secrets.ofHostName(socket.servername)
  const client = door.secrets.clientOf(hashed)
  socket.on('error', () => undefined)
  // As over TCP, a client may end its half and wait for its answers; before, an end is the end of the connection.
  socket.allowHalfOpen = true
  if (client === 0 || door.entryOf(socket)?.isOf(client) !== true) {
    socket.destroy()
    return
  }
  const answer = async (query: Uint8Array) => {
    const answered = await door.answer(hashed, query)
    return typeof answered === 'string' ? undefined : answered
  }
  serveConnection(socket, answer, idleMs)
}
