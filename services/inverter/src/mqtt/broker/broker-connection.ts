import { randomBytes } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Timers } from '@hearth/runtime'
import { parser, writeToStream, type Packet } from 'mqtt-packet'
import { BrokerError, brokerError } from './broker-error.ts'

/** Address of a broker and what is needed to be let in. Empty texts stand for none. */
export interface BrokerAddress {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly caCertificate: string
  readonly clientCertificate: string
  readonly clientKey: string
}

/** A message to the broker. */
export interface OutgoingMessage {
  readonly topic: string
  readonly payload: string
  readonly isRetained: boolean
  /** 1 waits for the broker's acknowledgement. */
  readonly qos: 0 | 1
}

/** A message from the broker. */
export interface IncomingMessage {
  readonly topic: string
  readonly payload: Buffer
  readonly isRetained: boolean
}

/** How a connection is opened. */
export interface ConnectionOptions {
  readonly address: BrokerAddress
  readonly timers: Timers
  /** Published by the broker when the connection is lost. */
  readonly will: OutgoingMessage
  readonly onMessage: (message: IncomingMessage) => void
  readonly signal?: AbortSignal
}

/** Time for connecting, for an acknowledgement, and for the answer to a ping; milliseconds. */
const connectMs = 10_000
const answerMs = 20_000

/** Interval of pings, and the silence after which a broker takes the client for lost. */
const pingMs = 30_000
const keepaliveSeconds = 90

/** Maximum size of what the broker may send without a whole packet, bytes. */
const maxIncoming = 262_144

/** Opens a connection; resolves when the broker has accepted it. Throws a `BrokerError`. */
export async function openBroker(options: ConnectionOptions): Promise<BrokerConnection> {
  const { address, timers, signal } = options
  signal?.throwIfAborted()
  let socket: Socket | undefined
  try {
    socket = openSocket(address)
    const connection = new BrokerConnection(socket, options)
    const abort = () => connection.fail(new BrokerError('the connection is not needed any more'))
    signal?.addEventListener('abort', abort, { once: true })
    const cancel = timers.after(connectMs, () => connection.fail({ code: 'CONNECT_TIMEOUT' }))
    try {
      await connection.accepted
    } finally {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
    return connection
  } catch (error) {
    socket?.destroy()
    throw brokerError(error, address.url)
  }
}

function openSocket({ url, caCertificate, clientCertificate, clientKey }: BrokerAddress): Socket {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'mqtt:') return connectTcp({ host, port: Number(port || 1883) })
  return connectTls({
    host,
    port: Number(port || 8883),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(caCertificate === '' ? {} : { ca: caCertificate }),
    ...(clientCertificate === '' ? {} : { cert: clientCertificate }),
    ...(clientKey === '' ? {} : { key: clientKey }),
  })
}

/** One connection to a broker, MQTT 3.1.1 with a clean session. It holds no messages back and does not reconnect. */
export class BrokerConnection {
  /** Resolves when the broker accepted the connection. */
  readonly accepted: Promise<void>
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<BrokerError>
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #parser = parser({ protocolVersion: 4 })
  readonly #accepted = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<BrokerError>()
  /** Packets that wait for the broker's answer, by their ids. */
  readonly #unanswered = new Map<number, (packet: Packet) => void>()
  /** Called with the reason when the connection ends. */
  readonly #interrupted = new Set<(error: BrokerError) => void>()
  #lastId = 0
  #buffered = 0
  #failure: BrokerError | undefined
  #cancelPing: () => void = () => undefined

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.accepted = this.#accepted.promise
    this.closed = this.#closed.promise
    // Awaited by `openBroker`; a failure before that is no unhandled one.
    this.accepted.catch(() => undefined)
    const { protocol } = new URL(options.address.url)
    socket.setNoDelay(true)
    socket.on(protocol === 'mqtts:' ? 'secureConnect' : 'connect', () => this.#introduce())
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail({ code: 'CLOSED' }))
    this.#parser.on('packet', (packet) => this.#take(packet))
    this.#parser.on('error', () => this.fail(new BrokerError('the broker sent what is not MQTT')))
  }

  /** Sends a message; resolves when it has left, with `qos` 1 when the broker has it. Rejects when the connection ends. */
  async publish({ topic, payload, isRetained, qos }: OutgoingMessage): Promise<void> {
    const messageId = qos === 0 ? undefined : this.#nextId()
    const answer = messageId === undefined ? undefined : this.#answer(messageId)
    await this.#write({
      cmd: 'publish',
      topic,
      payload,
      qos,
      retain: isRetained,
      dup: false,
      ...(messageId === undefined ? {} : { messageId }),
    })
    await answer
  }

  /** Subscribes to a filter; rejects when the broker refuses. */
  async subscribe(topic: string): Promise<void> {
    const messageId = this.#nextId()
    const answer = this.#answer(messageId)
    await this.#write({ cmd: 'subscribe', messageId, subscriptions: [{ topic, qos: 1 }] })
    const packet = await answer
    if (packet.cmd === 'suback' && packet.granted[0] === 128) throw this.#errorOf({ code: 'SUBSCRIBE_REFUSED' })
  }

  /** Takes leave of the broker, which then publishes no will, and closes the connection. */
  async end(): Promise<void> {
    if (this.#failure === undefined) await this.#write({ cmd: 'disconnect' }).catch(() => undefined)
    this.fail(new BrokerError('the connection was ended'))
  }

  /** Ends the connection at once, without leave. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = this.#errorOf(error)
    this.#cancelPing()
    this.#socket.destroySoon()
    // What the broker does not take any more must not keep the socket open.
    this.#options.timers.after(1000, () => this.#socket.destroy())
    this.#accepted.reject(this.#failure)
    this.#closed.resolve(this.#failure)
    for (const interrupt of this.#interrupted) interrupt(this.#failure)
  }

  #introduce(): void {
    const { address, will } = this.#options
    const { username, password } = address
    const packet: Packet = {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: `hearth-${randomBytes(8).toString('hex')}`,
      keepalive: keepaliveSeconds,
      will: { topic: will.topic, payload: Buffer.from(will.payload), qos: will.qos, retain: will.isRetained },
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password: Buffer.from(password) }),
    }
    void this.#write(packet).catch(() => undefined)
  }

  #read(bytes: Buffer): void {
    if (this.#failure !== undefined) return
    this.#buffered += bytes.length
    this.#parser.parse(bytes)
    if (this.#buffered > maxIncoming) this.fail(new BrokerError('the broker sent a message that is too large'))
  }

  #take(packet: Packet): void {
    this.#buffered = 0
    if (packet.cmd === 'connack') {
      if ((packet.returnCode ?? 0) !== 0) return this.fail({ code: packet.returnCode })
      this.#ping()
      return this.#accepted.resolve()
    }
    if (packet.cmd === 'publish') {
      const { topic, payload, retain: isRetained, qos, messageId } = packet
      if (qos > 0 && messageId !== undefined) void this.#write({ cmd: 'puback', messageId }).catch(() => undefined)
      return this.#options.onMessage({ topic, payload: Buffer.from(payload), isRetained })
    }
    const id = packet.cmd === 'pingresp' ? pingId : packet.messageId
    if (id !== undefined) this.#unanswered.get(id)?.(packet)
  }

  #ping(): void {
    this.#cancelPing = this.#options.timers.after(pingMs, () => {
      const answer = this.#answer(pingId)
      void this.#write({ cmd: 'pingreq' }).catch(() => undefined)
      answer.then(
        () => this.#ping(),
        () => this.fail({ code: 'KEEPALIVE' }),
      )
    })
  }

  /** Resolves with the broker's answer; a broker that does not answer in time is given up. */
  #answer(id: number): Promise<Packet> {
    const { promise, resolve, reject } = Promise.withResolvers<Packet>()
    const cancel = this.#options.timers.after(answerMs, () => this.fail({ code: 'KEEPALIVE' }))
    const end = () => {
      cancel()
      this.#unanswered.delete(id)
      this.#interrupted.delete(interrupt)
    }
    const interrupt = (error: BrokerError) => {
      end()
      reject(error)
    }
    this.#interrupted.add(interrupt)
    this.#unanswered.set(id, (packet) => {
      end()
      resolve(packet)
    })
    // The caller awaits it after the write, which fails first.
    promise.catch(() => undefined)
    return promise
  }

  /** Resolves when the socket takes more: a slow broker slows the sender down, and nothing piles up. */
  async #write(packet: Packet): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    writeToStream(packet, this.#socket, { protocolVersion: 4 })
    if (!this.#socket.writableNeedDrain) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#interrupted.add(reject)
    this.#socket.once('drain', resolve)
    try {
      await promise
    } finally {
      this.#interrupted.delete(reject)
      this.#socket.off('drain', resolve)
    }
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1
    while (this.#unanswered.has(this.#lastId))
    return this.#lastId
  }

  #errorOf(error: unknown): BrokerError {
    return brokerError(error, this.#options.address.url)
  }
}

/** Place of the ping among the packets that wait; messages have ids from 1. */
const pingId = 0
