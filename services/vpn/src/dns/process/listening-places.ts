import { createServer, type Server, type Socket } from 'node:net'
import type { DataListener } from '../loops/orders.ts'
import { SystemFault, type Libc } from '../sockets/libc.ts'
import { deviceIndex, openListeningSocket } from '../sockets/open-socket.ts'
import type { ListenerState } from './messages.ts'
import type { Listener } from './resolver-files.ts'

const retryMs = 500
const mostNumbers = 4096

interface Place {
  readonly listener: Listener
  readonly number: number
  /** With the C library: open, or -1. Otherwise the data thread opens it and says how that went. */
  descriptor: number
  error: string | null
  device: number
  server: Server | undefined
  tcpError: string | null
}

/** What the places need of others. */
export interface PlacesParts {
  readonly libc: Libc | undefined
  /** The data thread listens at these from now on. Resolves when it does, and at the others no more. */
  readonly assign: (listeners: readonly DataListener[]) => Promise<void>
  /** A TCP connection. */
  readonly connected: (socket: Socket, isTunnel: boolean) => void
}

/** The addresses the resolver listens at. */
export interface ListeningPlaces {
  /** Listens at these from now on; what stays is not touched. Resolves when it is so. */
  apply(listeners: readonly Listener[]): Promise<void>
  /** The data thread opened, or could not open, one itself. */
  note(number: number, error: string | null): void
  states(): readonly ListenerState[]
  close(): Promise<void>
}

/**
 * Opens and closes listeners, UDP and TCP, by difference. What cannot be opened is tried again every half second; a tunnel whose
 * device was made anew is listened at anew, as a socket stays with the device it was bound to.
 */
export function createListeningPlaces(parts: PlacesParts): ListeningPlaces {
  const { libc } = parts
  const places = new Map<string, Place>()
  let nextNumber = 0
  let turn: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void inTurn(retry), retryMs)

  /** One change at a time. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  async function apply(listeners: readonly Listener[]): Promise<void> {
    const wanted = new Map(listeners.map((listener) => [keyOf(listener), listener]))
    const left = [...places].filter(([key]) => !wanted.has(key))
    for (const [key] of left) places.delete(key)
    for (const [key, listener] of wanted) if (!places.has(key)) places.set(key, open(listener))
    await parts.assign(assigned())
    for (const [, place] of left) close(place)
  }

  function open(listener: Listener): Place {
    const number = nextNumber
    nextNumber = (nextNumber + 1) % mostNumbers
    const place: Place = { listener, number, descriptor: -1, error: null, device: 0, server: undefined, tcpError: null }
    openUdp(place)
    openTcp(place)
    return place
  }

  function openUdp(place: Place): void {
    if (libc === undefined) return
    const { listener } = place
    try {
      place.device = listener.device === null ? 0 : deviceIndex(libc, listener.device)
      place.descriptor = openListeningSocket(libc, 'udp', listener)
      place.error = null
    } catch (error) {
      place.error = codeOf(error)
    }
  }

  function openTcp(place: Place): void {
    const { listener } = place
    const server = createServer({ noDelay: true }, (socket) => parts.connected(socket, listener.device !== null))
    place.server = server
    const failed = (error: unknown) => {
      place.tcpError = codeOf(error)
      if (place.server === server) place.server = undefined
    }
    server.on('error', failed)
    server.on('listening', () => (place.tcpError = null))
    try {
      if (libc === undefined) server.listen({ host: listener.address, port: listener.port, exclusive: true })
      else server.listen({ fd: openListeningSocket(libc, 'tcp', listener) })
    } catch (error) {
      failed(error)
    }
  }

  async function retry(): Promise<void> {
    const replaced: number[] = []
    let isChanged = false
    for (const place of places.values()) {
      if (place.server === undefined) openTcp(place)
      if (libc === undefined) continue
      const { device } = place.listener
      const current = device === null ? 0 : deviceIndex(libc, device)
      if (place.descriptor >= 0 && current !== place.device && current !== 0) {
        replaced.push(place.descriptor)
        place.descriptor = -1
        place.server?.close()
        openTcp(place)
      }
      if (place.descriptor >= 0) continue
      openUdp(place)
      isChanged ||= place.descriptor >= 0
    }
    if (!isChanged && replaced.length === 0) return
    await parts.assign(assigned())
    for (const descriptor of replaced) libc?.call.close(descriptor)
  }

  function assigned(): DataListener[] {
    return [...places.values()]
      .filter(({ descriptor }) => libc === undefined || descriptor >= 0)
      .map(({ listener: { address, port, device }, number, descriptor }) => ({
        number,
        endpoint: { address, port },
        isTunnel: device !== null,
        descriptor,
      }))
  }

  function close(place: Place): void {
    place.server?.close()
    if (place.descriptor >= 0) libc?.call.close(place.descriptor)
  }

  return {
    apply: (listeners) => inTurn(() => apply(listeners)),
    note(number, error) {
      for (const place of places.values()) if (place.number === number) place.error = error
    },
    states: () =>
      [...places.values()].map(({ listener: { address, port }, error, tcpError }) => ({
        address,
        port,
        error: error ?? (tcpError === null ? null : `TCP: ${tcpError}`),
      })),
    async close() {
      clearInterval(timer)
      await inTurn(() => apply([]))
    },
  }
}

const keyOf = ({ address, port, device }: Listener): string => `${address} ${port} ${device ?? ''}`

function codeOf(error: unknown): string {
  if (error instanceof SystemFault) return error.code
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message
}
