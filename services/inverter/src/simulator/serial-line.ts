import type { Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'

/** An answer on its way: the chunks it is sent in, and the delay of the first. */
export interface Transmission {
  readonly chunks: readonly Uint8Array[]
  readonly afterMs: number
  readonly pauseMs: number
  /** Called when the last part was sent, or cut off. */
  readonly onSent?: () => void
}

/** Maximum number of answers that wait; a real line does not buffer more either. */
const maxWaiting = 2000

/**
 * The one line all clients share: one answer after the other, and every client receives everything. A request that comes in while an
 * answer is under way cuts that answer off, as on a real inverter.
 */
export class SerialLine {
  readonly #timers: Timers
  readonly #send: (bytes: Uint8Array) => void
  readonly #waiting: Transmission[] = []
  #isBusy = false
  #isSending = false
  #isCut = false
  #isClosed = false

  constructor(timers: Timers, send: (bytes: Uint8Array) => void) {
    this.#timers = timers
    this.#send = send
  }

  add(transmission: Transmission): void {
    if (this.#waiting.length >= maxWaiting) return
    this.#waiting.push(transmission)
    if (!this.#isBusy) void this.#work()
  }

  /** A request arrives. */
  interrupt(): void {
    if (this.#isSending) this.#isCut = true
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#transmit(next)
    this.#isBusy = false
  }

  async #transmit({ chunks, afterMs, pauseMs, onSent }: Transmission): Promise<void> {
    if (afterMs > 0) await this.#timers.delay(afterMs)
    this.#isSending = chunks.length > 1
    this.#isCut = false
    for (const [index, part] of chunks.entries()) {
      if (index > 0 && pauseMs > 0) await this.#timers.delay(pauseMs)
      if (this.#isCut || this.#isClosed) break
      this.#send(part)
    }
    this.#isSending = false
    onSent?.()
  }
}

/** One thing that went over the wire, as the inverter saw it. */
export interface WireEntry {
  /** Monotonic milliseconds. */
  readonly at: number
  /** Number of the connection, counted from 1; 0 for what went to everybody. */
  readonly connection: number
  readonly direction: 'in' | 'out'
  /** The received frame, when it was one. */
  readonly frame: Frame | undefined
  readonly bytes: string
}
