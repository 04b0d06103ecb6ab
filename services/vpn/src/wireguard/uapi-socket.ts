import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DeviceError } from './device.ts'
import type { UapiParser } from './uapi-text.ts'

/** Bytes of a reply that are parsed before other work gets its turn. */
const sliceLength = 64 * 1024

/** Nothing listens on the socket: the process that created it has ended. */
export class NobodyListens extends DeviceError {}

/** Bytes of free memory that the next piece of a reply finds. */
const pieceLength = 256 * 1024

/** A request to the socket of one device, and the milliseconds in which the reply has to be complete. */
export interface UapiRequest {
  readonly path: string
  readonly request: string
  readonly timeout: number
}

/**
 * Sends requests to userspace devices over their sockets. The reply of a device with 10,000 peers has 3 MB; one after the other lies in the
 * same memory, because megabytes of new buffers a reading make the garbage collector stop the process for longer than the
 * reading takes.
 */
export class UapiClient {
  /** Memory that no reply lies in now. */
  #spare: Buffer | undefined

  /**
   * Sends one request and resolves with what `read` makes of the reply, which is valid until `read` ends. The reply is taken off
   * the socket as fast as it comes, because the device holds its lock until then. Throws `NobodyListens` when the socket is
   * missing or stale, a `DeviceError` when the reply does not come in time.
   */
  async fetch<T>(request: UapiRequest, read: (reply: Buffer) => T | Promise<T>): Promise<T> {
    const memory = this.#takeMemory()
    try {
      await receive(request, memory)
      return await read(memory.reply())
    } finally {
      if (memory.bytes.length > (this.#spare?.length ?? 0)) this.#spare = memory.bytes
    }
  }

  #takeMemory(): ReplyMemory {
    const memory = new ReplyMemory(this.#spare)
    this.#spare = undefined
    return memory
  }

  /** Sends one request and feeds the reply to the parser in slices; errors are those of `fetch`. */
  exchange(request: UapiRequest, parser: UapiParser): Promise<void> {
    return this.fetch(request, async (reply) => {
      for (let at = 0; at < reply.length; at += sliceLength) {
        parser.push(reply.toString('latin1', at, at + sliceLength))
        if (at + sliceLength < reply.length) await nextTurn()
      }
      if (parser.errno() === undefined) throw new DeviceError('the device ended the connection in mid-answer')
    })
  }
}

/** A reply as it comes in, in memory that grows. */
class ReplyMemory {
  bytes: Buffer
  #length = 0

  constructor(spare: Buffer | undefined) {
    this.bytes = spare ?? Buffer.allocUnsafeSlow(pieceLength)
  }

  /** The place for the next piece. */
  free(): Buffer {
    if (this.bytes.length - this.#length < pieceLength) {
      const larger = Buffer.allocUnsafeSlow(2 * this.bytes.length)
      this.bytes.copy(larger, 0, 0, this.#length)
      this.bytes = larger
    }
    return this.bytes.subarray(this.#length)
  }

  take(length: number): void {
    this.#length += length
  }

  /** A reply ends with an empty line; no other line is empty. */
  isComplete(): boolean {
    return this.#length > 1 && this.bytes[this.#length - 1] === 0x0a && this.bytes[this.#length - 2] === 0x0a
  }

  reply(): Buffer {
    return this.bytes.subarray(0, this.#length)
  }
}

/** Sends one request and resolves when the whole reply lies in memory. */
async function receive({ path, request, timeout }: UapiRequest, memory: ReplyMemory): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const callback = (length: number) => {
    memory.take(length)
    if (memory.isComplete()) resolve()
    return true
  }
  const socket = connect({ path, onread: { buffer: () => memory.free(), callback } })
  const timer = setTimeout(() => reject(new DeviceError(`the device did not answer within ${timeout} ms`)), timeout)
  socket.on('connect', () => socket.write(request))
  socket.on('end', resolve)
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    const isGone = code === 'ENOENT' || code === 'ECONNREFUSED'
    reject(
      isGone ? new NobodyListens('no device listens') : new DeviceError(`the device's socket: ${code ?? 'failed'}`),
    )
  })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** True when a process listens on the socket. */
export async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(2000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
