import { createSocket, type RemoteInfo, type Socket as DgramSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { frame, StreamFrames } from '../src/dns/upstream/stream-frames.ts'
import { nameOf, typeOf } from './dns-packets.ts'
import { listenOnBoth } from './listen-on-both.ts'

/** A query an upstream got. */
export interface SeenQuery {
  readonly name: string
  readonly type: number
  readonly id: number
  readonly port: number
  readonly by: 'udp' | 'tcp'
}

/** Answers of an upstream: one message, several, or none. */
export type Answering = (
  query: Uint8Array,
  seen: SeenQuery,
) => Uint8Array | readonly Uint8Array[] | undefined | Promise<Uint8Array | undefined>

/** A DNS server of the test's, over UDP and TCP. */
export interface TestUpstream extends AsyncDisposable {
  readonly port: number
  /** All queries it got, oldest first. */
  readonly seen: SeenQuery[]
  answering: Answering
  /** Its UDP socket, to send whatever. */
  readonly socket: DgramSocket
}

/** Starts a server at 127.0.0.1 that answers as told. */
export async function startUpstream(answering: Answering, port = 0): Promise<TestUpstream> {
  const seen: SeenQuery[] = []
  const open = new Set<Socket>()
  const note = (query: Uint8Array, from: number, by: 'udp' | 'tcp'): SeenQuery => {
    const id = (query[0]! << 8) | query[1]!
    const noted = { name: nameOf(query), type: typeOf(query), id, port: from, by }
    seen.push(noted)
    return noted
  }
  const reply = async (query: Uint8Array, noted: SeenQuery, send: (answer: Uint8Array) => void): Promise<void> => {
    const answers = await upstream.answering(query, noted)
    if (answers === undefined) return
    for (const answer of answers instanceof Uint8Array ? [answers] : answers) send(answer)
  }
  const makeSocket = () => {
    const socket = createSocket('udp4')
    socket.on('message', (query: Buffer, from: RemoteInfo) => {
      void reply(query, note(query, from.port, 'udp'), (answer) => {
        try {
          socket.send(answer, from.port, from.address)
        } catch {
          // The test is over.
        }
      })
    })
    return socket
  }
  const makeServer = () =>
    createServer((connection) => {
      const frames = new StreamFrames()
      open.add(connection)
      connection.on('error', () => undefined)
      connection.on('close', () => open.delete(connection))
      connection.on('data', (piece: Buffer) => {
        for (const query of frames.push(piece)) {
          void reply(query, note(query, connection.remotePort ?? 0, 'tcp'), (answer) => connection.write(frame(answer)))
        }
      })
    })
  const {
    socket,
    server,
    port: taken,
  } = await listenOnBoth({ socket: makeSocket, server: makeServer }, { address: '127.0.0.1', port })
  const upstream: TestUpstream = {
    port: taken,
    seen,
    answering,
    socket,
    async [Symbol.asyncDispose]() {
      socket.close()
      for (const connection of open) connection.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return upstream
}
