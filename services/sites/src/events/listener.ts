import { Readable } from 'node:stream'

/** How long one whose stream ends has to take what waits for it, milliseconds. */
const lastWords = 5000

/** One stream: a short queue in front of a connection that reads as fast as it likes. */
export class Listener extends Readable {
  readonly #longest: number
  readonly #queue: string[] = []
  #isWanted = false
  #isFinished = false

  constructor(longest: number) {
    super({ highWaterMark: 16_384 })
    this.#longest = longest
    this.on('error', () => undefined)
  }

  override _read(): void {
    this.#isWanted = true
    this.#drain()
  }

  /** What comes before everything else, whatever its size. */
  begin(text: string): void {
    this.#queue.push(text)
    this.#drain()
  }

  /** False when too much waits already. */
  send(text: string): boolean {
    if (this.#isFinished) return true
    if (this.#queue.length >= this.#longest) return false
    this.#queue.push(text)
    this.#drain()
    return true
  }

  /** Keeps proxies from closing a quiet stream; a busy one needs none. */
  keepAlive(): void {
    if (this.#queue.length === 0) this.send(': keep-alive\n\n')
  }

  finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#drain()
    setTimeout(() => this.destroy(), lastWords).unref()
  }

  #drain(): void {
    while (this.#isWanted && this.#queue.length > 0) this.#isWanted = this.push(this.#queue.shift())
    if (this.#isFinished && this.#queue.length === 0 && !this.readableEnded && !this.destroyed) this.push(null)
  }
}
