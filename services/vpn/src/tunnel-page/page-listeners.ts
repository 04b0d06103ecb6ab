import { createServer, type Server } from 'node:http'
import { limitConnections, plainAddress } from '@hearth/http'
import { type PageAnswer, type PageRequest, pageRequest, sendPage } from './page-request.ts'

/** Where the page listens. */
export interface PagePlace {
  readonly interface: string
  readonly address: string
  readonly port: number
}

/** Answers a request that came to a place from an address. Never rejects. */
export type AnswerPage = (
  request: PageRequest,
  ends: { readonly place: PagePlace; readonly from: string },
) => Promise<PageAnswer>

/** Connections at one place, and of one address there. */
const connections = { total: 256, ofAddress: 16 } as const
/** Time for a request, and for a connection without one, milliseconds. */
const [requestMs, idleMs] = [10_000, 5000]

interface Listening {
  readonly place: PagePlace
  readonly server: Server
  /** Null when it listens. */
  error: string | null
}

const keyOf = ({ interface: name, address, port }: PagePlace) => `${name} ${address} ${port}`

/** The servers of the page, one at each address. */
export class PageListeners {
  readonly #answer: AnswerPage
  readonly #listening = new Map<string, Listening>()

  constructor(answer: AnswerPage) {
    this.#answer = answer
  }

  /** What keeps the page from listening at a place: null when it does, undefined when it was not told to. */
  errorAt(place: PagePlace): string | null | undefined {
    return this.#listening.get(keyOf(place))?.error
  }

  /** Listens at exactly these places. One that cannot be listened at is tried again by the next call. */
  async bring(places: readonly PagePlace[]): Promise<void> {
    const wanted = new Map(places.map((place) => [keyOf(place), place]))
    const over = [...this.#listening].filter(([key, { error }]) => error !== null || !wanted.has(key))
    await Promise.all(over.map(([key, one]) => this.#end(key, one)))
    const missing = [...wanted].filter(([key]) => !this.#listening.has(key))
    await Promise.all(missing.map(([key, place]) => this.#begin(key, place)))
  }

  async #begin(key: string, place: PagePlace): Promise<void> {
    const server = this.#createServer(place)
    const one: Listening = { place, server, error: null }
    this.#listening.set(key, one)
    const { promise, resolve } = Promise.withResolvers<void>()
    server.once('listening', resolve)
    server.on('error', (error: NodeJS.ErrnoException) => {
      one.error = errorText(error)
      resolve()
    })
    server.listen({ host: place.address, port: place.port, ipv6Only: true, exclusive: true })
    await promise
  }

  #createServer(place: PagePlace): Server {
    const server = createServer(
      { maxHeaderSize: 8192, headersTimeout: requestMs, requestTimeout: requestMs, keepAliveTimeout: idleMs },
      (request, response) => {
        const from = plainAddress(request.socket.remoteAddress ?? '')
        void this.#answer(pageRequest(request), { place, from }).then((answer) => sendPage(request, response, answer))
      },
    )
    limitConnections(server, connections)
    return server
  }

  async #end(key: string, { server, error }: Listening): Promise<void> {
    this.#listening.delete(key)
    if (error !== null) return
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
}

const words: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EACCES: 'the service may not use the port',
  EADDRNOTAVAIL: 'the address is not there',
}

const errorText = ({ code = '', message }: NodeJS.ErrnoException): string => words[code] ?? message
