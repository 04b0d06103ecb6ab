import { constants } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { limitConnections } from '@hearth/http'
import { OperatorError } from '@hearth/runtime'
import type { Listener } from '../dns/resolver-files.ts'
import type { NodeAuthority } from './authority.ts'
import { createLinkAnswers, type LinkAnswersDependencies } from './link-answers.ts'

export interface LinkServerDependencies extends LinkAnswersDependencies {
  readonly authority: Pick<NodeAuthority, 'read'>
  readonly listeners: readonly Listener[]
}

/** Connections at one address of this host, and of one address there. */
const connections = { total: 500, ofAddress: 100 } as const
/** Time for a request and for the handshake before it, and for a connection between two requests, milliseconds. */
const [requestMs, idleMs] = [10_000, 65_000]
/** The servers that nodes connect to. */
export interface LinkServer {
  close(): Promise<void>
}

/** Listens for nodes. Throws an `OperatorError` that names `VPN_NODES_LISTEN` when that cannot be. */
export async function openLinkServer(dependencies: LinkServerDependencies): Promise<LinkServer> {
  await using cleanup = new AsyncDisposableStack()
  const answer = createLinkAnswers(dependencies)
  const { authority, server: identity } = await dependencies.authority.read()
  for (const { address, port } of dependencies.listeners) {
    const server = createServer(
      {
        minVersion: 'TLSv1.3',
        cert: `${identity.certificate}\n${authority.certificate}`,
        key: identity.key,
        ca: authority.certificate,
        // A host that joins has no certificate yet; each request is checked by itself.
        requestCert: true,
        rejectUnauthorized: false,
        // Every connection proves its key anew.
        secureOptions: constants.SSL_OP_NO_TICKET,
        handshakeTimeout: requestMs,
        maxHeaderSize: 8192,
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        keepAliveTimeout: idleMs,
      },
      (request, response) => void answer(request, response),
    )
    limitConnections(server, connections)
    const sockets = followSockets(server)
    await listen(server, { address, port })
    cleanup.defer(() => end(server, sockets))
  }
  const resources = cleanup.move()
  return { close: () => resources.disposeAsync() }
}

async function listen(server: Server, { address, port }: Pick<Listener, 'address' | 'port'>): Promise<void> {
  try {
    server.listen({ host: address, port, ipv6Only: true, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = reasons[code] ?? message
    throw new OperatorError(`VPN_NODES_LISTEN: cannot listen on ${address}, port ${port}: ${reason}`, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EACCES: 'the service may not use the port',
  EADDRNOTAVAIL: 'this host has no such address',
}

/** Keeps the open connections of a server, those in the middle of their handshake too. */
function followSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function end(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}
