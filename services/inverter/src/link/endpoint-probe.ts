import { connect, type Socket } from 'node:net'
import type { Timers } from '@hearth/runtime'
import { encodeRequest, type Frame } from '../protocol/frame.ts'
import { createFrameParser, type FrameParser } from '../protocol/parser.ts'

/** Bytes of an answer that are kept to recognize something that is no inverter. */
const keptBytes = 64

/** Pause between two requests, and time without a byte after which a frame has ended; milliseconds. */
const pauseMs = 80

export interface ProbeOptions {
  readonly host: string
  readonly port: number
  /** Plant address; undefined for the device that answers without one. */
  readonly address?: number | undefined
  /** Objects to read, one after the other, until one is not answered. */
  readonly objectIds: readonly number[]
  readonly timers: Timers
  readonly connectMs: number
  /** Time for each answer, milliseconds. */
  readonly answerMs: number
  /** Time to listen for frames of others after the answers, milliseconds. */
  readonly listenMs: number
  readonly signal?: AbortSignal
}

/** Findings of a connection that is made for a test alone. */
export interface ProbeReport {
  isConnected: boolean
  /** Code of the system why there is no connection, such as `ECONNREFUSED`; `ETIMEDOUT` when nothing came back. */
  error: string | null
  readonly payloads: Map<number, Uint8Array>
  /** Time from each request to its answer, milliseconds. */
  readonly answerMs: number[]
  /** Begin of what came. */
  firstBytes: Uint8Array
  /** Valid frames that answer none of the requests. */
  foreignFrames: number
  isInBootloader: boolean
  /** True if the other side closed the connection before the end. */
  isClosedByPeer: boolean
  counters: FrameParser['counters']
}

/**
 * Connects to an endpoint that no link is open to, reads a few objects, listens, and closes the connection. Never rejects;
 * what goes wrong is part of the report.
 */
export async function probeEndpoint(options: ProbeOptions): Promise<ProbeReport> {
  const probe = new EndpointProbe(options)
  try {
    await probe.run()
  } finally {
    probe.close()
  }
  return probe.report
}

class EndpointProbe {
  readonly report: ProbeReport
  readonly #options: ProbeOptions
  readonly #parser: FrameParser
  readonly #socket: Socket
  readonly #closed = Promise.withResolvers<'closed'>()
  #expected: { objectId: number; answer: (payload: Uint8Array) => void } | undefined
  #cancelIdle: () => void = () => undefined

  constructor(options: ProbeOptions) {
    this.#options = options
    this.#parser = createFrameParser({
      onFrame: (frame) => this.#receive(frame),
      onBootloader: () => this.#noteBootloader(),
    })
    this.report = {
      isConnected: false,
      error: null,
      payloads: new Map(),
      answerMs: [],
      firstBytes: new Uint8Array(0),
      foreignFrames: 0,
      isInBootloader: false,
      isClosedByPeer: false,
      counters: this.#parser.counters,
    }
    const { host, port } = options
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.report.isConnected) this.report.error ??= error.code ?? 'unknown'
    })
    this.#socket.on('close', () => {
      this.report.isClosedByPeer = this.report.isConnected
      this.#closed.resolve('closed')
    })
  }

  async run(): Promise<void> {
    const { objectIds, timers, listenMs, signal } = this.#options
    if (!(await this.#connected())) return
    for (const objectId of objectIds) {
      if (signal?.aborted === true || this.report.isInBootloader) return
      if (!(await this.#read(objectId))) break
      await timers.delay(pauseMs)
    }
    if (listenMs > 0 && !this.report.isClosedByPeer) await Promise.race([timers.delay(listenMs), this.#closed.promise])
  }

  close(): void {
    this.#cancelIdle()
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  async #connected(): Promise<boolean> {
    const opened = new Promise<'open'>((resolve) => this.#socket.once('connect', () => resolve('open')))
    const first = await this.#within(this.#options.connectMs, opened)
    if (first !== 'open') {
      this.report.error ??= 'ETIMEDOUT'
      return false
    }
    this.report.isConnected = true
    return true
  }

  /** Returns false when there is no answer. */
  async #read(objectId: number): Promise<boolean> {
    const { timers, address, answerMs } = this.#options
    const begin = timers.monotonic()
    const answered = new Promise<'answer'>((resolve) => {
      const answer = (payload: Uint8Array) => {
        this.report.payloads.set(objectId, payload.slice())
        this.report.answerMs.push(Math.round(timers.monotonic() - begin))
        resolve('answer')
      }
      this.#expected = { objectId, answer }
    })
    if (this.#socket.writable) this.#socket.write(encodeRequest('read', objectId, address))
    const first = await this.#within(answerMs, answered)
    this.#expected = undefined
    return first === 'answer'
  }

  /** Resolves with the event, or with `closed` or `late` when the connection or the time ends first. */
  async #within<T>(ms: number, event: Promise<T>): Promise<T | 'closed' | 'late'> {
    const { promise, resolve } = Promise.withResolvers<'late'>()
    const cancel = this.#options.timers.after(ms, () => resolve('late'))
    try {
      return await Promise.race([event, this.#closed.promise, promise])
    } finally {
      cancel()
    }
  }

  #take(chunk: Uint8Array): void {
    const { report } = this
    if (report.firstBytes.length < keptBytes)
      report.firstBytes = Buffer.concat([report.firstBytes, chunk]).subarray(0, keptBytes)
    this.#cancelIdle()
    this.#parser.push(chunk)
    if (this.#parser.heldBytes > 8192) this.#socket.destroy()
    else if (this.#parser.isWaiting) this.#cancelIdle = this.#options.timers.after(pauseMs, () => this.#parser.idle())
  }

  #receive({ command, objectId, address, payload }: Frame): void {
    const isResponse = command === 'response' || command === 'long-response'
    const isAnswer = isResponse && objectId === this.#expected?.objectId && address === this.#options.address
    if (isAnswer) this.#expected?.answer(payload)
    else this.report.foreignFrames += 1
  }

  #noteBootloader(): void {
    this.report.isInBootloader = true
  }
}
