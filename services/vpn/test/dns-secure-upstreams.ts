import { once } from 'node:events'
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { frame, StreamFrames } from '../src/dns/upstream/stream-frames.ts'
import type { TestAuthority } from './certificates.ts'

/** A server of the test's that speaks DNS under TLS. */
export interface SecureUpstream extends AsyncDisposable {
  readonly port: number
  /** Queries it got, as they came. */
  readonly queries: Uint8Array[]
  /** Connections it took, and how many of them went on with an earlier session. */
  connections: number
  resumed: number
  /** Its answer; undefined when it does not answer. */
  answering: (query: Uint8Array) => Uint8Array | undefined
  /** Closes all connections, as servers do after a while. */
  hangUp(): void
}

/** DNS over TLS (RFC 7858) at 127.0.0.1. */
export async function startTlsUpstream(
  authority: TestAuthority,
  name: string,
  answering: SecureUpstream['answering'],
): Promise<SecureUpstream> {
  const open = new Set<TLSSocket>()
  const server = createServer({ ...(await authority.issue(name)), ALPNProtocols: ['dot'] }, (socket) => {
    upstream.connections += 1
    if (socket.isSessionReused()) upstream.resumed += 1
    const frames = new StreamFrames()
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    socket.on('data', (piece: Buffer) => {
      const queries = frames.push(piece)
      upstream.queries.push(...queries)
      // Backwards: who pipelines must not rely on the order.
      for (const query of queries.toReversed()) {
        const answer = upstream.answering(query)
        if (answer !== undefined) socket.write(frame(answer))
      }
    })
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream: SecureUpstream = {
    port: (server.address() as AddressInfo).port,
    queries: [],
    connections: 0,
    resumed: 0,
    answering,
    hangUp() {
      for (const socket of open) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      upstream.hangUp()
      server.close()
      await once(server, 'close')
    },
  }
  return upstream
}

/** DNS over HTTPS (RFC 8484) at 127.0.0.1, path `/dns-query`. */
export async function startHttpsUpstream(
  authority: TestAuthority,
  name: string,
  answering: SecureUpstream['answering'],
): Promise<SecureUpstream> {
  const open = new Set<ServerHttp2Session>()
  const server = createSecureServer({ ...(await authority.issue(name)) })
  server.on('session', (session) => {
    upstream.connections += 1
    open.add(session)
    session.on('close', () => open.delete(session))
    session.on('error', () => undefined)
  })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const pieces: Buffer[] = []
    stream.on('error', () => undefined)
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('end', () => {
      const isQuery = headers[':path'] === '/dns-query' && headers['content-type'] === 'application/dns-message'
      if (headers[':method'] !== 'POST' || !isQuery) {
        stream.respond({ ':status': 404 })
        stream.end()
        return
      }
      const query = new Uint8Array(Buffer.concat(pieces))
      upstream.queries.push(query)
      const answer = upstream.answering(query)
      if (answer === undefined) return
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' })
      stream.end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream: SecureUpstream = {
    port: (server.address() as AddressInfo).port,
    queries: [],
    connections: 0,
    resumed: 0,
    answering,
    hangUp() {
      for (const session of open) session.destroy()
    },
    async [Symbol.asyncDispose]() {
      upstream.hangUp()
      server.close()
      await once(server, 'close')
    },
  }
  return upstream
}
