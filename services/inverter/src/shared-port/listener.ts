import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { createAddressSet, limitConnections, plainAddress } from '@hearth/http'
import type { Log, Timers } from '@hearth/runtime'
import type { Answers, Outcome } from './answers.ts'
import { ClientConnection } from './client-connection.ts'
import type { SharedClient, SharedConnection, SharedPortRefusal, SharedPortState } from './schema.ts'

/** Connections at one port, and of one address there. */
const connections = { total: 32, ofAddress: 8 } as const

/** Interval at which refusals are logged, and failures, milliseconds. */
const logEveryMs = 60_000

/** Pause before a port that could not be opened is tried again, milliseconds. */
const retryMs = 30_000

/** A port to open, and who may connect. */
export interface ListenerOptions {
  readonly deviceId: string
  readonly port: number
  readonly bindAddress: string
  readonly clients: readonly SharedClient[]
  readonly answers: Pick<Answers, 'answer'>
  readonly timers: Timers
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** A port at which an inverter answers to programs that may connect. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #clients: readonly { readonly rule: SharedClient; readonly has: (address: string) => boolean }[]
  readonly #open = new Map<ClientConnection, { readonly name: string; readonly address: string }>()
  readonly #counts = { requests: 0, from_cache: 0, unanswered: 0, written: 0, refused: 0 }
  #server: Server | undefined
  #error: string | null = null
  #lastRefusal: SharedPortRefusal | null = null
  #loggedAt = -Infinity
  #cancelRetry: () => void = () => undefined
  #isClosed = false
  #failureLoggedAt = -Infinity

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#clients = options.clients.map((rule) => {
      const set = createAddressSet([rule.network])
      return { rule, has: (address) => set.has(address) }
    })
  }

  /** Opens the port. A failure is part of the state, nothing else fails for it, and it is tried again: an address may come later. */
  async open(): Promise<void> {
    const { port, bindAddress, log, timers } = this.#options
    const server = createServer((socket) => this.#accept(socket))
    limitConnections(server, connections)
    try {
      server.listen({ port, host: bindAddress, exclusive: true })
      await once(server, 'listening')
      if (this.#isClosed) return void server.close()
      this.#server = server
      this.#error = null
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      const reason = reasons[code] ?? message
      if (reason !== this.#error) log.warn({ port, reason }, 'the inverter cannot be shared at its port')
      this.#error = reason
      if (!this.#isClosed) this.#cancelRetry = timers.after(retryMs, () => void this.open())
    }
  }

  state(): SharedPortState {
    const { deviceId, port } = this.#options
    return {
      device_id: deviceId,
      port,
      state: this.#error === null ? 'listening' : 'failed',
      error: this.#error,
      ...this.#counts,
      last_refusal: this.#lastRefusal,
    }
  }

  connections(): SharedConnection[] {
    const { deviceId } = this.#options
    return [...this.#open].map(([{ requests, connectedAt }, { name, address }]) => ({
      device_id: deviceId,
      name,
      address,
      connected_at: new Date(connectedAt).toISOString(),
      requests,
    }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    const closed = this.#server && once(this.#server, 'close')
    this.#server?.close()
    for (const connection of this.#open.keys()) connection.close()
    await closed
  }

  #accept(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    const client = this.#clients.find(({ has }) => has(address))?.rule
    if (client === undefined) {
      socket.on('error', () => undefined)
      socket.destroy()
      return this.#refuse(address, `${address} is none of the programs that may connect`)
    }
    const { answers, timers } = this.#options
    const connection: ClientConnection = new ClientConnection(socket, {
      timers,
      answer: (frame) => answers.answer(frame, client),
      onOutcome: (outcome) => this.#count(outcome, address),
      onFailure: (error) => this.#fail(error, address),
      onClose: () => this.#open.delete(connection),
    })
    this.#open.set(connection, { name: client.name, address })
  }

  #count(outcome: Outcome, address: string): void {
    this.#counts.requests += 1
    if (outcome.kind === 'refused') this.#refuse(address, outcome.detail)
    else if (outcome.kind === 'silence') this.#counts.unanswered += 1
    else if (outcome.kind === 'written') this.#counts.written += 1
    else if (outcome.isFromCache) this.#counts.from_cache += 1
  }

  /** The program hears nothing, as from an inverter that does not answer. */
  #fail(error: unknown, address: string): void {
    const { timers, log, port } = this.#options
    this.#count({ kind: 'silence' }, address)
    if (timers.monotonic() - this.#failureLoggedAt < logEveryMs) return
    this.#failureLoggedAt = timers.monotonic()
    log.error({ err: error, port, address }, 'a request at the shared port failed')
  }

  #refuse(address: string, detail: string): void {
    const { timers, log, port } = this.#options
    this.#counts.refused += 1
    this.#lastRefusal = { at: new Date(timers.now()).toISOString(), address, detail }
    if (timers.monotonic() - this.#loggedAt < logEveryMs) return
    this.#loggedAt = timers.monotonic()
    log.info({ port, address, detail }, 'the shared port refused something')
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program uses the port',
  EACCES: 'The service may not use the port',
  EADDRNOTAVAIL: 'This host does not have the address',
}
