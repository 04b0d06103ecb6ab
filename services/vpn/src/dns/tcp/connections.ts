import type { Socket } from 'node:net'
import { askingClient } from '../loops/client-source.ts'
import { ClientRate } from '../loops/client-rate.ts'
import { encodeSocketAddress } from '../sockets/socket-address.ts'
import { frame, StreamFrames } from '../upstream/stream-frames.ts'
import type { StreamAnswers } from './stream-answers.ts'

/** Bounds of TCP service (RFC 7766, 6.2). */
const limits = {
  /** At a time; of one address. */
  connections: 512,
  perAddress: 32,
  /** Without a query or an answer. */
  idleMs: 10_000,
  /** Queries that were not answered yet: beyond, nothing is read. */
  underWay: 64,
  /** Answers that the other end does not take. */
  unsentBytes: 1 << 20,
} as const

/** Who may ask over TCP, see `askingClient`. */
export interface ConnectionRules {
  readonly listenClient: number
  readonly clientRateLimit: number
}

/** The connections of clients. */
export interface Connections {
  use(rules: ConnectionRules): void
  /** Answers what comes over this connection, or closes it when its other end may not ask. */
  take(socket: Socket, isTunnel: boolean): void
  close(): void
}

/** Answers queries over TCP, many at a time on a connection and in the order in which answers are there. */
export function createConnections(answers: StreamAnswers): Connections {
  const open = new Set<Socket>()
  const perAddress = new Map<string, number>()
  const rate = new ClientRate(0)
  const source = new Uint8Array(32)
  let listenClient = 0

  function clientOf(address: string, isTunnel: boolean): number {
    encodeSocketAddress(source, 0, address.replace(/%.*/, ''), 0)
    return askingClient(answers.engine.policy.clients, isTunnel, listenClient, source, 0)
  }

  function take(socket: Socket, isTunnel: boolean): void {
    const address = socket.remoteAddress
    const count = perAddress.get(address ?? '') ?? 0
    socket.on('error', () => undefined)
    if (address === undefined || open.size >= limits.connections || count >= limits.perAddress) {
      socket.destroy()
      return
    }
    if (clientOf(address, isTunnel) < 0) {
      socket.destroy()
      return
    }
    open.add(socket)
    perAddress.set(address, count + 1)
    socket.on('close', () => {
      open.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    // Peers come and go: who asks is looked up for each query.
    serve(socket, () => clientOf(address, isTunnel), isTunnel)
  }

  function serve(socket: Socket, client: () => number, isTunnel: boolean): void {
    const frames = new StreamFrames()
    const waiting: Uint8Array[] = []
    let underWay = 0
    socket.setTimeout(limits.idleMs, () => {
      if (underWay === 0) socket.destroy()
    })
    socket.on('data', (piece: Buffer) => {
      waiting.push(...frames.push(piece))
      goOn()
    })

    /** Reads on only when there is little left to do: what one piece held is the most that waits. */
    function goOn(): void {
      while (waiting.length > 0 && underWay < limits.underWay && !socket.destroyed) void reply(waiting.shift()!)
      if (waiting.length > 0) socket.pause()
      else socket.resume()
    }

    async function reply(query: Uint8Array): Promise<void> {
      const number = client()
      if (number < 0 || (isTunnel && !rate.take(number, performance.now()))) {
        socket.destroy()
        return
      }
      underWay += 1
      const answer = await answers.answer(query, number)
      underWay -= 1
      if (socket.destroyed) return
      if (answer === undefined || socket.writableLength > limits.unsentBytes) {
        socket.destroy()
        return
      }
      socket.write(frame(answer))
      goOn()
    }
  }

  return {
    use(rules) {
      ;({ listenClient } = rules)
      rate.limit(rules.clientRateLimit)
    },
    take,
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}
