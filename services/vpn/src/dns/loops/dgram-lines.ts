import { createSocket, type Socket, type SocketOptions } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { addressText, encodeSocketAddress, portOf } from '../sockets/socket-address.ts'
import { linux, sockaddr } from '../sockets/layouts.ts'
import type { Endpoint } from '../sockets/open-socket.ts'
import type { DataListener, ListenerNote } from './data-config.ts'
import { maxPorts } from './shared-state.ts'
import type { ListenerLines } from './loop-core.ts'

const answerSlot = 4096
const slots = 64
const retryMs = 500
const maxTexts = 8192

/** Handlers of datagrams at the loop's sockets. */
export interface DgramHandlers {
  query(bytes: Uint8Array, listener: DataListener, addresses: Uint8Array): void
  answer(bytes: Uint8Array, port: number): void
  failed(port: number): void
  note(note: ListenerNote): void
}

/**
 * The sockets of the loop behind Node's `dgram`, which goes everywhere Node does. It opens its listeners itself, and tries again
 * every half second what could not be opened.
 */
export class DgramLines implements ListenerLines {
  answers = new Uint8Array(slots * answerSlot)
  answerAt = 0
  readonly #handlers: DgramHandlers
  readonly #listeners = new Map<number, { socket: Socket | undefined; retry: NodeJS.Timeout | undefined }>()
  readonly #ports: (Socket | undefined)[] = Array.from({ length: maxPorts }, () => undefined)
  readonly #addresses = new Map<string, Uint8Array>()
  readonly #texts = new Map<number, string>()

  constructor(handlers: DgramHandlers) {
    this.#handlers = handlers
  }

  listen(listeners: readonly DataListener[]): void {
    const kept = new Set(listeners.map(({ number }) => number))
    for (const [number, { socket, retry }] of this.#listeners) {
      if (kept.has(number)) continue
      clearTimeout(retry)
      socket?.close()
      this.#listeners.delete(number)
    }
    for (const listener of listeners) if (!this.#listeners.has(listener.number)) this.#open(listener)
  }

  answer(length: number, listener: number, addresses: Uint8Array, addressAt: number): void {
    const socket = this.#listeners.get(listener)?.socket
    const { answers, answerAt: at } = this
    if (socket === undefined || socket.getSendQueueCount() > 0) return
    socket.send(answers, at, length, portOf(addresses, addressAt), this.#textOf(addresses, addressAt))
    // What the system did not take at once is read later: its bytes must stay as they are.
    if (socket.getSendQueueCount() > 0) this.answers = new Uint8Array(slots * answerSlot)
    else this.answerAt = (at + answerSlot) % (slots * answerSlot)
  }

  sendQuery(port: number, bytes: Uint8Array, at: number, length: number): void {
    this.#ports[port]?.send(bytes.slice(at, at + length))
  }

  openPort(port: number, endpoint: Endpoint): void {
    const socket = createSocket(optionsFor(endpoint.address))
    let isConnected = false
    socket.on('connect', () => (isConnected = true))
    socket.on('message', (bytes) => this.#handlers.answer(bytes, port))
    socket.on('error', () => {
      if (isConnected) this.#handlers.failed(port)
      else if (this.#ports[port] === socket) this.closePort(port)
    })
    this.#ports[port] = socket
    socket.connect(endpoint.port, endpoint.address)
  }

  closePort(port: number): void {
    const socket = this.#ports[port]
    this.#ports[port] = undefined
    socket?.removeAllListeners('message')
    socket?.close()
  }

  isOpen(port: number): boolean {
    return this.#ports[port] !== undefined
  }

  close(): void {
    this.listen([])
    for (let port = 0; port < maxPorts; port++) this.closePort(port)
  }

  #open(listener: DataListener): void {
    const { number, endpoint } = listener
    const socket = createSocket(optionsFor(endpoint.address))
    const entry = { socket: undefined as Socket | undefined, retry: undefined as NodeJS.Timeout | undefined }
    this.#listeners.set(number, entry)
    socket.on('message', (bytes, from) => {
      this.#handlers.query(bytes, listener, this.#bytesOf(from.address, from.port))
    })
    socket.on('listening', () => {
      entry.socket = socket
      this.#handlers.note({ type: 'listener', number, error: null })
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Once it listens, errors are those of single datagrams.
      if (entry.socket !== undefined) return
      this.#handlers.note({ type: 'listener', number, error: error.code ?? error.message })
      socket.close()
      entry.retry = setTimeout(() => {
        if (this.#listeners.get(number) === entry) this.#open(listener)
      }, retryMs)
    })
    socket.bind({ port: endpoint.port, address: endpoint.address, exclusive: true })
  }

  /** An address in the form of the exchange, valid until the next call. Recent ones are cached. */
  #bytesOf(address: string, port: number): Uint8Array {
    const known = this.#addresses.get(address)
    const bytes = known ?? new Uint8Array(sockaddr.stride)
    if (known === undefined) {
      encodeSocketAddress(bytes, 0, address, port)
      if (this.#addresses.size >= maxTexts) this.#addresses.clear()
      this.#addresses.set(address, bytes)
    }
    bytes[sockaddr.port] = port >> 8
    bytes[sockaddr.port + 1] = port
    return bytes
  }

  /** The address as Node wants it; IPv4 addresses are remembered. */
  #textOf(addresses: Uint8Array, at: number): string {
    if (addresses[at] !== linux.AF_INET) return addressText(addresses, at)
    const from = at + sockaddr.ipv4
    const key =
      (addresses[from]! << 24) | (addresses[from + 1]! << 16) | (addresses[from + 2]! << 8) | addresses[from + 3]!
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    if (this.#texts.size >= maxTexts) this.#texts.clear()
    const text = addressText(addresses, at)
    this.#texts.set(key, text)
    return text
  }
}

/** Node would look even addresses up (nodejs/node#39468), and wait for it. */
function optionsFor(address: string): SocketOptions {
  const family = isIPv6(address) ? 6 : 4
  return {
    type: family === 6 ? 'udp6' : 'udp4',
    ipv6Only: family === 6,
    recvBufferSize: 4 << 20,
    sendBufferSize: 1 << 20,
    lookup: (host, _options, done) => done(null, host, family),
  }
}
