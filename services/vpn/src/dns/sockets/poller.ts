import { epollEvent, fixedBytes, linux } from './layouts.ts'
import { check, type Libc } from './libc.ts'

const most = 64

/** Waits for sockets that have something to read (`man 7 epoll`, level-triggered). */
export class Poller {
  readonly descriptor: number
  readonly #libc: Libc
  readonly #layout = epollEvent(process.arch)
  readonly #events: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #pointer: bigint

  constructor(libc: Libc) {
    this.#libc = libc
    this.#events = fixedBytes(most * this.#layout.size)
    this.#view = new DataView(this.#events.buffer)
    this.#pointer = libc.pointerTo(this.#events)
    this.descriptor = check(libc, 'epoll_create1', libc.call.epoll_create1(linux.EPOLL_CLOEXEC))
  }

  /** From now on `tag` is reported when the socket can be read. Throws a `SystemFault` when the kernel refuses. */
  add(descriptor: number, tag: number): void {
    const event = fixedBytes(this.#layout.size)
    const view = new DataView(event.buffer)
    view.setUint32(0, linux.EPOLLIN, true)
    view.setUint32(this.#layout.data, tag, true)
    const { call } = this.#libc
    check(this.#libc, 'epoll_ctl', call.epoll_ctl(this.descriptor, linux.EPOLL_CTL_ADD, descriptor, event))
  }

  /** The socket is not reported any more; one that is closed leaves by itself. */
  remove(descriptor: number): void {
    this.#libc.call.epoll_ctl(this.descriptor, linux.EPOLL_CTL_DEL, descriptor, this.#pointer)
  }

  /** Waits at most so many milliseconds. How many sockets are ready; negative when a signal came. */
  wait(milliseconds: number): number {
    return this.#libc.call.epoll_wait(this.descriptor, this.#pointer, most, milliseconds)
  }

  /** The tag of ready socket n. */
  tag(n: number): number {
    return this.#view.getUint32(n * this.#layout.size + this.#layout.data, true)
  }

  close(): void {
    this.#libc.call.close(this.descriptor)
  }
}
