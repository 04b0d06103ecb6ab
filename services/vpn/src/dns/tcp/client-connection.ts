import type { Socket } from 'node:net'
import { frame, StreamFrames } from '../upstream/stream-frames.ts'

/** Bounds of one connection (RFC 7766, 6.2). */
const usualIdleMs = 10_000
/** Queries that were not answered yet: beyond, nothing is read. */
const maxInFlight = 64
/** Maximum bytes of answers that the client has not read. */
const maxUnsentBytes = 1 << 20

/** Serves a client's connection until it ends, or nothing happens on it for a time. */
export function serveConnection(
  socket: Socket,
  answer: (query: Uint8Array) => Promise<Uint8Array | undefined>,
  idleMs = usualIdleMs,
): void {
  new ClientConnection(socket, answer).begin(idleMs)
}

/**
 * Serves a client's connection: many queries at a time, answers as soon as they are ready. `answer` returns undefined for what
 * gets none, which ends the connection.
 */
class ClientConnection {
  readonly #socket: Socket
  readonly #answer: (query: Uint8Array) => Promise<Uint8Array | undefined>
  readonly #waiting: Uint8Array[] = []
  #underWay = 0
  /** The client sends no more queries, and waits for its answers (RFC 7766, 6.2.4: it may end its half of the connection). */
  #isEnded = false

  constructor(socket: Socket, answer: (query: Uint8Array) => Promise<Uint8Array | undefined>) {
    this.#socket = socket
    this.#answer = answer
  }

  begin(idleMs: number): void {
    const socket = this.#socket
    const frames = new StreamFrames()
    socket.setTimeout(idleMs, () => {
      if (this.#underWay === 0 || socket.writableLength > 0) socket.destroy()
    })
    socket.on('end', () => {
      this.#isEnded = true
      this.#goOn()
    })
    socket.on('data', (piece: Buffer) => {
      this.#waiting.push(...frames.push(piece))
      this.#goOn()
    })
  }

  /** Reads on only when there is little left to do: what one piece held is the most that waits. */
  #goOn(): void {
    const socket = this.#socket
    while (this.#waiting.length > 0 && this.#underWay < maxInFlight && !socket.destroyed) {
      void this.#reply(this.#waiting.shift()!)
    }
    if (this.#isEnded && this.#underWay === 0 && this.#waiting.length === 0) socket.end()
    else if (this.#waiting.length > 0) socket.pause()
    else socket.resume()
  }

  async #reply(query: Uint8Array): Promise<void> {
    const socket = this.#socket
    this.#underWay += 1
    const answer = await this.#answer(query)
    this.#underWay -= 1
    if (socket.destroyed) return
    if (answer === undefined || socket.writableLength > maxUnsentBytes) {
      socket.destroy()
      return
    }
    socket.write(frame(answer))
    this.#goOn()
  }
}
