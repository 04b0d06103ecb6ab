import { randomInt } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Upstream } from '../process/resolver-files.ts'
import { BackOff } from './back-off.ts'
import type { Relay, RelayOptions } from './relay.ts'
import { frame, StreamFrames } from './stream-frames.ts'

const idleMs = 20_000
const mostUnderWay = 2048

interface Waiting {
  readonly query: Uint8Array
  readonly resolve: (answer: Uint8Array) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
  isSecondTry: boolean
}

interface Connection {
  readonly socket: Socket
  /** By the id on this connection. */
  readonly waiting: Map<number, Waiting>
  /** Answers that came; a connection without any that closes is a failure, one with some merely was idle for the server. */
  answers: number
  heardAt: number
}

/**
 * Asks over one TCP or TLS connection, many queries at a time (RFC 7766, RFC 7858), closes it when it is idle and makes another
 * when needed. TLS sessions are taken up again; the certificate has to be of the upstream's name, or of its address.
 */
export function createStreamRelay(upstream: Upstream, options: RelayOptions): Relay {
  const backOff = new BackOff()
  let connection: Connection | undefined
  let session: Buffer | undefined

  function open(): Connection {
    const socket =
      upstream.protocol === 'tls' ? secure() : connectTcp({ host: upstream.address ?? '', port: upstream.port })
    const opened: Connection = { socket, waiting: new Map(), answers: 0, heardAt: 0 }
    const frames = new StreamFrames()
    let fault = new Error('the server closed the connection')
    socket.setNoDelay(true)
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('data', (piece: Buffer) => {
      opened.heardAt = performance.now()
      for (const message of frames.push(piece)) take(opened, message)
    })
    socket.on('error', (error) => (fault = error))
    socket.on('end', () => socket.destroy())
    socket.on('close', () => leave(opened, fault))
    return opened
  }

  function secure(): TLSSocket {
    const { address = '', port, name } = upstream
    const isName = name !== undefined && isIP(name) === 0
    const socket = connectTls({
      host: address,
      port,
      ALPNProtocols: ['dot'],
      minVersion: 'TLSv1.2',
      ...(isName ? { servername: name } : {}),
      ...(session === undefined ? {} : { session }),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    })
    socket.on('session', (next: Buffer) => (session = next))
    return socket
  }

  function take(from: Connection, message: Uint8Array): void {
    const id = ((message[0] ?? 0) << 8) | (message[1] ?? 0)
    const waiting = message.length < 12 ? undefined : from.waiting.get(id)
    if (waiting === undefined) return
    from.waiting.delete(id)
    from.answers += 1
    backOff.succeeded()
    clearTimeout(waiting.timer)
    message[0] = waiting.query[0]!
    message[1] = waiting.query[1]!
    waiting.resolve(message)
  }

  /** A server may close whenever it likes: what it had not answered on a connection that worked is asked once more. */
  function leave(left: Connection, fault: Error): void {
    if (connection === left) connection = undefined
    if (left.answers === 0 && left.waiting.size > 0) {
      session = undefined
      backOff.failed(fault)
    }
    for (const waiting of left.waiting.values()) {
      if (left.answers > 0 && !waiting.isSecondTry) {
        waiting.isSecondTry = true
        send(waiting)
      } else {
        clearTimeout(waiting.timer)
        waiting.reject(fault)
      }
    }
  }

  function send(waiting: Waiting): void {
    connection ??= open()
    const { waiting: underWay, socket } = connection
    let id = randomInt(65_536)
    while (underWay.has(id)) id = (id + 1) & 0xffff
    underWay.set(id, waiting)
    const framed = frame(waiting.query)
    framed[2] = id >> 8
    framed[3] = id
    socket.write(framed)
  }

  /** A connection on which nothing came since is taken for dead. */
  function expire(waiting: Waiting, askedAt: number): void {
    const on = connection
    for (const [id, other] of on?.waiting ?? []) if (other === waiting) on?.waiting.delete(id)
    if (on !== undefined && on.heardAt <= askedAt) {
      connection = undefined
      on.socket.destroy(new Error('the server is silent'))
    }
    waiting.reject(new Error('no answer in time'))
  }

  return {
    ask: (query, timeoutMs) =>
      new Promise((resolve, reject) => {
        const obstacle = connection === undefined ? backOff.obstacle() : undefined
        if (obstacle !== undefined) return reject(obstacle)
        if ((connection?.waiting.size ?? 0) >= mostUnderWay) return reject(new Error('too many queries at a time'))
        const askedAt = performance.now()
        const timer = setTimeout(() => expire(waiting, askedAt), timeoutMs)
        const waiting: Waiting = { query, resolve, reject, timer, isSecondTry: false }
        send(waiting)
      }),
    close() {
      connection?.socket.destroy(new Error('the resolver asks others now'))
    },
  }
}
