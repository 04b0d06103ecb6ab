import { Batch } from '../sockets/batch.ts'
import { sockaddr } from '../sockets/layouts.ts'
import type { Libc } from '../sockets/libc.ts'
import { openConnectedSocket, type Endpoint } from '../sockets/open-socket.ts'
import { Poller } from '../sockets/poller.ts'
import type { DataListener } from './data-config.ts'
import { forgetDescriptor, maxPorts, noteDescriptor, type SharedState } from './shared-state.ts'
import type { ListenerLines } from './loop-core.ts'
import { maxQueryBytes } from './waiters.ts'

/** Datagrams a system call takes at most. */
export const batchSize = 64

/** Room for an answer; queries allow upstreams at most 1232 bytes. */
export const answerSlot = 4096

/** Listeners are reported by their number, ports to upstreams by this plus theirs. */
export const portTag = 0x1_0000

const maxListeners = 4096
const cacheLine = 64

/** The sockets of the FFI loop: answers and queries are batched into as few system calls as possible. */
export class FfiLines implements ListenerLines {
  readonly poller: Poller
  readonly answers: Uint8Array
  answerAt = 0
  /** The open socket of each listener and port; -1 for none. */
  readonly listenerSockets = new Int32Array(maxListeners).fill(-1)
  readonly portSockets = new Int32Array(maxPorts).fill(-1)
  readonly isTunnel = new Uint8Array(maxListeners)
  readonly #libc: Libc
  readonly #state: SharedState
  readonly #out: Batch
  readonly #queries: Batch
  readonly #outSockets = new Int32Array(batchSize)
  readonly #querySockets = new Int32Array(batchSize)
  #outCount = 0
  #queryCount = 0
  #listeners: readonly DataListener[] = []

  constructor(libc: Libc, state: SharedState) {
    this.#libc = libc
    this.#state = state
    this.poller = new Poller(libc)
    noteDescriptor(state, this.poller.descriptor)
    this.#out = new Batch(libc, { count: batchSize, slot: answerSlot, withAddresses: true })
    this.#queries = new Batch(libc, { count: batchSize, slot: maxQueryBytes, withAddresses: false })
    this.answers = this.#out.bytes
  }

  /** True if a query can wake it. */
  get isListening(): boolean {
    return this.#listeners.length > 0
  }

  /** These sockets are listened at from now on; those that are not among them are left alone, before they are closed. */
  listen(listeners: readonly DataListener[]): void {
    this.flush()
    for (const { number } of this.#listeners) this.listenerSockets[number] = -1
    this.#listeners = listeners
    for (const { number, descriptor, isTunnel } of listeners) {
      this.listenerSockets[number] = descriptor
      this.isTunnel[number] = isTunnel ? 1 : 0
    }
    this.poller.poll(listeners.map(({ number, descriptor }) => ({ descriptor, tag: number })))
  }

  answer(length: number, listener: number, addresses: Uint8Array, addressAt: number): void {
    const slot = this.#outCount
    const to = slot * sockaddr.stride
    const table = this.#out.addresses
    for (let k = 0; k < sockaddr.ipv6Size; k++) table[to + k] = addresses[addressAt + k]!
    this.#out.setRange(slot, this.answerAt, length)
    this.#outSockets[slot] = this.listenerSockets[listener]!
    this.#outCount = slot + 1
    // Answers stand closely one after the other, each in its own cache lines: most are short.
    this.answerAt = (this.answerAt + length + cacheLine - 1) & -cacheLine
    if (this.#outCount === batchSize) this.#sendAnswers()
  }

  sendQuery(port: number, bytes: Uint8Array, at: number, length: number): void {
    const slot = this.#queryCount
    const to = slot * maxQueryBytes
    const out = this.#queries.bytes
    for (let k = 0; k < length; k++) out[to + k] = bytes[at + k]!
    this.#queries.setLength(slot, length)
    this.#querySockets[slot] = this.portSockets[port]!
    this.#queryCount = slot + 1
    if (this.#queryCount === batchSize) this.#sendQueries()
  }

  openPort(port: number, endpoint: Endpoint): void {
    try {
      const descriptor = openConnectedSocket(this.#libc, endpoint)
      noteDescriptor(this.#state, descriptor)
      this.portSockets[port] = descriptor
      this.poller.add(descriptor, portTag + port)
    } catch {
      // No way there, such as IPv6 without a route: not open, tried again later.
    }
  }

  closePort(port: number): void {
    const descriptor = this.portSockets[port]!
    if (descriptor < 0) return
    if (this.#queryCount > 0) this.#sendQueries()
    this.portSockets[port] = -1
    this.#libc.call.close(descriptor)
    forgetDescriptor(this.#state, descriptor)
  }

  isOpen(port: number): boolean {
    return this.portSockets[port]! >= 0
  }

  /** Sends what was gathered. */
  flush(): void {
    if (this.#outCount > 0) this.#sendAnswers()
    if (this.#queryCount > 0) this.#sendQueries()
  }

  /** Closes the thread's own sockets; listeners are not its own. */
  close(): void {
    for (let port = 0; port < maxPorts; port++) this.closePort(port)
    this.poller.close()
    forgetDescriptor(this.#state, this.poller.descriptor)
  }

  #sendAnswers(): void {
    sendRuns(this.#out, this.#outSockets, this.#outCount)
    this.#outCount = 0
    this.answerAt = 0
  }

  #sendQueries(): void {
    sendRuns(this.#queries, this.#querySockets, this.#queryCount)
    this.#queryCount = 0
  }
}

/** One call for neighbours of the same socket. What belongs to a socket that was closed meanwhile is left out. */
function sendRuns(batch: Batch, sockets: Int32Array, count: number): void {
  for (let from = 0; from < count;) {
    const socket = sockets[from]!
    let to = from + 1
    while (to < count && sockets[to] === socket) to++
    if (socket >= 0) batch.send(socket, from, to)
    from = to
  }
}
