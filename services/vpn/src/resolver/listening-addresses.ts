import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { DataListener } from '../dns/loops/data-config.ts'
import { SystemFault, type Libc } from '../dns/sockets/libc.ts'
import { deviceIndex, openListeningSocket } from '../dns/sockets/open-socket.ts'
import type { ListenerState } from './messages.ts'
import type { Listener } from '../dns/resolver-files.ts'

const retryMs = 500
const maxNumbers = 4096
/** The longest wait for a data thread that opens addresses itself, milliseconds; one that died says it later. */
const maxOpeningMs = 5000

interface OpenAddress {
  readonly listener: Listener
  readonly number: number
  /** With the C library: open, or -1. Otherwise the data thread opens it and says how that went. */
  descriptor: number
  error: string | null
  /** Resolves when the first attempt to open it by UDP has ended. */
  readonly tried: PromiseWithResolvers<void>
  /** The tunnel's device as it was when the socket was bound to it. */
  device: number
  server: Server | undefined
  tcpError: string | null
}

/** Dependencies of `ListeningAddresses`. */
export interface ListenersDependencies {
  readonly libc: Libc | undefined
  /** The data thread listens at these from now on. Resolves when it does, and at the others no more. */
  readonly assign: (listeners: readonly DataListener[]) => Promise<void>
  /** A TCP connection. */
  readonly connected: (socket: Socket, isTunnel: boolean) => void
}

/**
 * The addresses the resolver listens at, by UDP and TCP. They are opened and closed by difference. What cannot be opened is tried
 * again every half second; a tunnel whose device was created again gets a new socket, as a socket stays with the device it was
 * bound to.
 */
export class ListeningAddresses {
  readonly #dependencies: ListenersDependencies
  readonly #addresses = new Map<string, OpenAddress>()
  readonly #timer: NodeJS.Timeout
  #nextNumber = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(dependencies: ListenersDependencies) {
    this.#dependencies = dependencies
    this.#timer = setInterval(() => void this.#withLock(() => this.#retry()), retryMs)
  }

  /** Listens at these from now on; what stays is not touched. Resolves when it is so. */
  apply(listeners: readonly Listener[]): Promise<void> {
    return this.#withLock(() => this.#apply(listeners))
  }

  /** The data thread opened, or could not open, one itself. */
  note(number: number, error: string | null): void {
    for (const address of this.#addresses.values()) {
      if (address.number !== number) continue
      address.error = error
      address.tried.resolve()
    }
  }

  states(): readonly ListenerState[] {
    return [...this.#addresses.values()].map(({ listener: { address, port }, error, tcpError }) => ({
      address,
      port,
      error: error ?? (tcpError === null ? null : `TCP: ${tcpError}`),
    }))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.apply([])
  }

  /** One change at a time. */
  #withLock(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #apply(listeners: readonly Listener[]): Promise<void> {
    const wanted = new Map(listeners.map((listener) => [keyOf(listener), listener]))
    const left = [...this.#addresses].filter(([key]) => !wanted.has(key))
    for (const [key] of left) this.#addresses.delete(key)
    for (const [key, listener] of wanted) if (!this.#addresses.has(key)) this.#addresses.set(key, this.#open(listener))
    await this.#dependencies.assign(this.#assigned())
    const tried = Array.from(this.#addresses.values(), (address) => address.tried.promise)
    await Promise.race([Promise.all(tried), pause(maxOpeningMs, undefined, { ref: false })])
    for (const [, { server, descriptor }] of left) {
      server?.close()
      if (descriptor >= 0) this.#dependencies.libc?.call.close(descriptor)
    }
  }

  #open(listener: Listener): OpenAddress {
    const number = this.#nextNumber
    this.#nextNumber = (number + 1) % maxNumbers
    const address: OpenAddress = {
      listener,
      number,
      descriptor: -1,
      error: null,
      tried: Promise.withResolvers(),
      device: 0,
      server: undefined,
      tcpError: null,
    }
    this.#openUdp(address)
    this.#openTcp(address)
    return address
  }

  #openUdp(address: OpenAddress): void {
    const { libc } = this.#dependencies
    if (libc === undefined) return
    const { listener } = address
    address.tried.resolve()
    try {
      address.device = listener.device === null ? 0 : deviceIndex(libc, listener.device)
      address.descriptor = openListeningSocket(libc, 'udp', listener)
      address.error = null
    } catch (error) {
      address.error = codeOf(error)
    }
  }

  #openTcp(address: OpenAddress): void {
    const { libc, connected } = this.#dependencies
    const { listener } = address
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
      connected(socket, listener.device !== null),
    )
    address.server = server
    const failed = (error: unknown) => {
      address.tcpError = codeOf(error)
      if (address.server === server) address.server = undefined
    }
    server.on('error', failed)
    server.on('listening', () => (address.tcpError = null))
    try {
      if (libc === undefined) server.listen({ host: listener.address, port: listener.port, exclusive: true })
      else server.listen({ fd: openListeningSocket(libc, 'tcp', listener) })
    } catch (error) {
      failed(error)
    }
  }

  async #retry(): Promise<void> {
    const outdated: number[] = []
    let isChanged = false
    for (const address of this.#addresses.values()) {
      if (this.#isOutdated(address)) {
        outdated.push(address.descriptor)
        address.descriptor = -1
        address.server?.close()
        address.server = undefined
      }
      if (address.server === undefined) this.#openTcp(address)
      if (address.descriptor >= 0 || this.#dependencies.libc === undefined) continue
      this.#openUdp(address)
      isChanged ||= address.descriptor >= 0
    }
    if (!isChanged && outdated.length === 0) return
    await this.#dependencies.assign(this.#assigned())
    for (const descriptor of outdated) this.#dependencies.libc?.call.close(descriptor)
  }

  /** Returns true if the device there is now is another than the one the socket belongs to. */
  #isOutdated({ listener: { device }, descriptor, device: bound }: OpenAddress): boolean {
    if (this.#dependencies.libc === undefined || device === null || descriptor < 0) return false
    const current = deviceIndex(this.#dependencies.libc, device)
    return current !== 0 && current !== bound
  }

  #assigned(): DataListener[] {
    return [...this.#addresses.values()]
      .filter(({ descriptor }) => this.#dependencies.libc === undefined || descriptor >= 0)
      .map(({ listener: { address, port, device }, number, descriptor }) => ({
        number,
        endpoint: { address, port },
        isTunnel: device !== null,
        descriptor,
      }))
  }
}

const keyOf = ({ address, port, device }: Listener): string => `${address} ${port} ${device ?? ''}`

function codeOf(error: unknown): string {
  if (error instanceof SystemFault) return error.code
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message
}
