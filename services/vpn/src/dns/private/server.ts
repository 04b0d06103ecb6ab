import { createServer, type Server, type Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { ResolverPrivateDns, SocketPlace } from '../resolver-files.ts'
import type { Streams } from '../tcp/streams.ts'
import { certificateFacts, type Certificate } from './certificate.ts'
import { CertificateWatch } from './certificate-watch.ts'
import { Door } from './door.ts'
import { createHttpsQueries, createProxiedQueries } from './https-queries.ts'
import type { PlaceState, PrivateDnsState } from './state.ts'
import { createTlsQueries } from './tls-queries.ts'

/** How often files are compared and addresses that could not be opened are tried again. */
const lookMs = 2000

type Kind = 'tls' | 'https' | 'http'
const kinds = ['tls', 'https', 'http'] as const

/** An address that is listened at, or that could not be. */
interface OpenPlace extends SocketPlace {
  readonly kind: Kind
  server: Server | undefined
  error: string | null
}

/** DNS over TLS and HTTPS for devices outside the tunnels: addresses, certificate, and the secrets of devices. */
export class PrivateDnsServer {
  readonly #door: Door
  readonly #places = new Map<string, OpenPlace>()
  readonly #sockets = new Set<Socket>()
  readonly #timer: NodeJS.Timeout
  #turn: Promise<void> = Promise.resolve()
  #wanted: ResolverPrivateDns | undefined
  #watch: CertificateWatch | undefined
  /** Undefined until there is a certificate. */
  #secure: { readonly tls: TlsServer; readonly https: TlsServer } | undefined

  constructor(streams: Streams) {
    this.#door = new Door(streams)
    this.#timer = setInterval(() => void this.#followInTurn(), lookMs)
  }

  /** Puts these addresses, files and secrets in force. Connections of devices that stay are not touched. */
  apply(wanted: ResolverPrivateDns): Promise<void> {
    this.#wanted = wanted
    this.#door.secrets.use(wanted)
    return this.#followInTurn()
  }

  state(): PrivateDnsState {
    const places = (kind: Kind): PlaceState[] =>
      Array.from(this.#places.values())
        .filter((place) => place.kind === kind)
        .map(({ address, port, error }) => ({ address, port, error }))
    const { current, problem = null } = this.#watch ?? {}
    return {
      tls: places('tls'),
      https: places('https'),
      http: places('http'),
      problem,
      certificate: current === undefined ? null : certificateFacts(current, this.#wanted?.name ?? ''),
    }
  }

  close(): void {
    clearInterval(this.#timer)
    for (const { server } of this.#places.values()) server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #followInTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => (this.#wanted === undefined ? undefined : this.#follow(this.#wanted)))
    return this.#turn
  }

  async #follow(wanted: ResolverPrivateDns): Promise<void> {
    const { tls, https, certificate, key } = wanted
    const files = this.#watch?.files
    if (files?.certificate !== certificate || files.key !== key) {
      this.#watch = new CertificateWatch({ certificate, key })
    }
    const found = tls.length + https.length > 0 ? await this.#watch?.look() : undefined
    if (found !== undefined) this.#useCertificate(found)
    await this.#listen(wanted)
  }

  /** New handshakes use it; connections that are there go on. */
  #useCertificate(certificate: Certificate): void {
    const { cert, key } = certificate
    for (const server of Object.values(this.#secure ?? {}))
      server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' })
    this.#secure ??= {
      tls: createTlsQueries(this.#door, certificate),
      https: createHttpsQueries(this.#door, certificate),
    }
  }

  async #listen(config: ResolverPrivateDns): Promise<void> {
    const wanted = new Map<string, SocketPlace & { readonly kind: Kind }>(
      kinds.flatMap((kind) =>
        config[kind].map(({ address, port }) => [`${kind} ${address} ${port}`, { address, port, kind }] as const),
      ),
    )
    for (const [key, { server }] of this.#places) {
      if (wanted.has(key)) continue
      server?.close()
      this.#places.delete(key)
    }
    const opening: Promise<void>[] = []
    for (const [key, place] of wanted) {
      const open = this.#places.get(key) ?? { ...place, server: undefined, error: null }
      this.#places.set(key, open)
      if (open.server === undefined) opening.push(this.#open(open))
    }
    await Promise.all(opening)
  }

  #open(place: OpenPlace): Promise<void> {
    const { kind, address, port } = place
    if (kind !== 'http' && this.#secure === undefined) {
      place.error = 'no certificate'
      return Promise.resolve()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const server = kind === 'http' ? createProxiedQueries(this.#door) : this.#secureListener(kind)
    if (kind === 'http') server.on('connection', (socket: Socket) => this.#keep(socket))
    place.server = server
    server.on('error', (error: NodeJS.ErrnoException) => {
      place.server = undefined
      place.error = error.code ?? error.message
      resolve()
    })
    server.listen({ host: address, port, exclusive: true, ipv6Only: address.includes(':') }, () => {
      place.error = null
      resolve()
    })
    return promise
  }

  /** Listens for a TLS server, which gets only what the door lets in. */
  #secureListener(kind: 'tls' | 'https'): Server {
    return createServer({ noDelay: true }, (socket) => {
      this.#keep(socket)
      if (this.#door.enter(socket)) this.#secure?.[kind].emit('connection', socket)
      else socket.destroy()
    })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
