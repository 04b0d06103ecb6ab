import { epollEvent, fixedBytes, linux, pollfd } from './layouts.ts'
import { check, type Libc } from './libc.ts'

const most = 64

/** A socket, and the number by which it is reported. */
export interface Polled {
  readonly descriptor: number
  readonly tag: number
}

/**
 * Waits for sockets that have something to read, level-triggered. The many that send little are in an epoll set (`man 7 epoll`).
 * The few that send much are polled (`man 2 poll`): as long as a socket is in an epoll set, the kernel looks for waiters at each
 * datagram it has sent from it, which is 3 % of a resolver's time.
 */
export class Poller {
  /** Descriptor of the epoll set. */
  readonly descriptor: number
  readonly #libc: Libc
  readonly #layout = epollEvent(process.arch)
  readonly #events: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #pointer: bigint
  /** Tags of the polled sockets; the epoll set stands behind them in the table. */
  #polled: Uint32Array = new Uint32Array(0)
  #table: DataView = new DataView(new ArrayBuffer(0))
  #tablePointer = 0n
  #tableLength = 0n
  /** Tags of the sockets that are ready. */
  #ready: Uint32Array = new Uint32Array(most)

  constructor(libc: Libc) {
    this.#libc = libc
    this.#events = fixedBytes(most * this.#layout.size)
    this.#view = new DataView(this.#events.buffer)
    this.#pointer = libc.pointerTo(this.#events)
    this.descriptor = check(libc, 'epoll_create1', libc.call.epoll_create1(linux.EPOLL_CLOEXEC))
    this.poll([])
  }

  /** Adds a socket to the epoll set; it leaves when it is closed. Throws a `SystemFault` when the kernel refuses. */
  add(descriptor: number, tag: number): void {
    const event = fixedBytes(this.#layout.size)
    const view = new DataView(event.buffer)
    view.setUint32(0, linux.EPOLLIN, true)
    view.setUint32(this.#layout.data, tag, true)
    const { call } = this.#libc
    check(this.#libc, 'epoll_ctl', call.epoll_ctl(this.descriptor, linux.EPOLL_CTL_ADD, descriptor, event))
  }

  /** Polls these sockets from now on, instead of those before. */
  poll(sockets: readonly Polled[]): void {
    const bytes = fixedBytes((sockets.length + 1) * pollfd.size)
    const table = new DataView(bytes.buffer)
    for (const [n, descriptor] of [...sockets.map((socket) => socket.descriptor), this.descriptor].entries()) {
      table.setInt32(n * pollfd.size + pollfd.descriptor, descriptor, true)
      table.setInt16(n * pollfd.size + pollfd.events, linux.POLLIN, true)
    }
    this.#table = table
    this.#tablePointer = this.#libc.pointerTo(bytes)
    this.#tableLength = BigInt(sockets.length + 1)
    this.#polled = Uint32Array.from(sockets, (socket) => socket.tag)
    this.#ready = new Uint32Array(sockets.length + most)
  }

  /** Waits at most so many milliseconds. Returns the number of sockets that are ready; 0 too when a signal came. */
  wait(milliseconds: number): number {
    if (this.#libc.call.poll(this.#tablePointer, this.#tableLength, milliseconds) <= 0) return 0
    const ready = this.#ready
    const polled = this.#polled.length
    let count = 0
    for (let n = 0; n < polled; n++) if (this.#hasHappened(n)) ready[count++] = this.#polled[n]!
    if (!this.#hasHappened(polled)) return count
    const events = this.#libc.call.epoll_wait(this.descriptor, this.#pointer, most, 0)
    for (let n = 0; n < events; n++)
      ready[count++] = this.#view.getUint32(n * this.#layout.size + this.#layout.data, true)
    return count
  }

  /** The tag of ready socket n. */
  tag(n: number): number {
    return this.#ready[n]!
  }

  close(): void {
    this.#libc.call.close(this.descriptor)
  }

  #hasHappened(n: number): boolean {
    return this.#table.getInt16(n * pollfd.size + pollfd.happened, true) !== 0
  }
}
