import { once } from 'node:events'
import { createServer, request as startRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import {
  OutboundFailed,
  OutboundRefused,
  pinnedLookup,
  type OutboundPolicy,
  type RefusalReason,
} from '@hearth/outbound'
import { endToEndHeaders, endToEndLines } from './end-to-end-headers.ts'

/** Where a tool was not let. */
export interface Refusal {
  readonly host: string
  readonly port: number
  readonly reason: RefusalReason
}

/** What one run may use; every member has a default. */
export interface EgressLimits {
  /** Connections of the tool, and connections made for it, at the same time; 64. */
  readonly connections?: number
  /** How long a connection may be silent in both directions, milliseconds; 60 000. */
  readonly idleMs?: number
  /** How long connecting may take, milliseconds; 15 000. */
  readonly connectMs?: number
  /** Bytes that may arrive in the whole run; unlimited. */
  readonly maxBytes?: number
}

/** The way out for one run of a tool. */
export interface EgressProxy extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for the tool's proxy option. */
  readonly url: string
  /** Aborted when more than `maxBytes` arrived; every connection is cut by then. */
  readonly exhausted: AbortSignal
  /** The first refusals of the run, in order. */
  refused(): readonly Refusal[]
  /** Bytes that arrived from outside so far. */
  bytes(): number
  /** Ends every connection at once; resolves when the port is free. */
  close(): Promise<void>
}

/** A tool that tries again and again says nothing new. */
const mostRefusals = 100

/**
 * Opens an HTTP proxy on loopback that only goes where the policy lets it: names are looked up here, once a connection, and
 * the checked address is what is connected to. It tunnels (`CONNECT`) and forwards plain http. Closes when the signal aborts.
 */
export async function openEgressProxy(options: {
  policy: OutboundPolicy
  signal?: AbortSignal | undefined
  limits?: EgressLimits | undefined
}): Promise<EgressProxy> {
  const { policy, signal, limits = {} } = options
  signal?.throwIfAborted()
  const connections = new EgressConnections(policy, limits)
  const server = createServer({ maxHeaderSize: 64 * 1024, headersTimeout: 20_000, requestTimeout: 0 })
  server.maxConnections = limits.connections ?? 64
  server.on('connection', (socket) => connections.admit(socket))
  server.on('connect', (request, socket, head) => void tunnel(connections, { request, client: socket, head }))
  server.on('request', (request, response) => void forward(connections, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const onAbort = () => void close()
  const close = async () => {
    signal?.removeEventListener('abort', onAbort)
    connections.end()
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    await closed
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exhausted: connections.exhausted,
    refused: () => connections.refusals,
    bytes: () => connections.bytes,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The connections of one run, inward and outward, and what is known of them. */
class EgressConnections {
  readonly refusals: Refusal[] = []
  bytes = 0
  readonly #policy: OutboundPolicy
  readonly #limits: EgressLimits
  readonly #open = new Set<Duplex>()
  readonly #ended = new AbortController()
  readonly #exhausted = new AbortController()
  #outward = 0

  constructor(policy: OutboundPolicy, limits: EgressLimits) {
    this.#policy = policy
    this.#limits = limits
  }

  get exhausted(): AbortSignal {
    return this.#exhausted.signal
  }

  /** Takes a connection in: it ends with the run, or when it is silent for too long. */
  admit(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#open.delete(socket))
    socket.setTimeout(this.#limits.idleMs ?? 60_000, () => socket.destroy())
    if (this.#ended.signal.aborted) socket.destroy()
  }

  /** Connects to a checked address. Refusals are noted. */
  async reach(host: string, port: number): Promise<Socket> {
    if (this.#outward >= (this.#limits.connections ?? 64)) throw new OutboundFailed('unreachable', host)
    this.#outward += 1
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
    void gone.then(() => (this.#outward -= 1))
    try {
      const destination = await this.#policy.resolve(host, port, this.#ended.signal)
      const socket = connect({ host: destination.host, port, lookup: pinnedLookup(destination), noDelay: true })
      socket.once('close', leave)
      this.admit(socket)
      await connected(socket, { host, ms: this.#limits.connectMs ?? 15_000 })
      return socket
    } catch (error) {
      leave()
      if (error instanceof OutboundRefused) this.#note(error)
      throw error
    }
  }

  /** Counts what arrives on a connection from now on. */
  meter(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.bytes <= (this.#limits.maxBytes ?? Infinity)) return
      this.end()
      this.#exhausted.abort(new Error('more bytes arrived than the run may receive'))
    })
  }

  end(): void {
    this.#ended.abort(new Error('the run is over'))
    for (const socket of this.#open) socket.destroy()
  }

  #note({ host, port, reason }: OutboundRefused): void {
    if (this.refusals.length < mostRefusals) this.refusals.push({ host, port, reason })
  }
}

async function connected(socket: Socket, { host, ms }: { host: string; ms: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => socket.destroy(new OutboundFailed('timeout', host)), ms)
  socket.once('connect', resolve)
  socket.once('error', reject)
  socket.once('close', () => reject(new OutboundFailed('unreachable', host)))
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

/** `CONNECT host:port`: what follows is between the tool and the server. */
async function tunnel(
  connections: EgressConnections,
  { request, client, head }: { request: IncomingMessage; client: Duplex; head: Buffer },
): Promise<void> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(request.url ?? '') ?? []
  if (host === undefined) {
    client.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
    return
  }
  try {
    const upstream = await connections.reach(host, Number(port))
    if (client.destroyed) {
      upstream.destroy()
      return
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    connections.meter(upstream)
    join(client, upstream)
  } catch (error) {
    client.end(`HTTP/1.1 ${statusOf(error)} ${reasonOf(error)}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  }
}

/** What ended in order is still delivered; what broke off ends the other side at once. */
function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client)
  client.once('close', () => upstream.destroy())
  upstream.once('close', () => {
    if (!upstream.readableEnded) client.destroy()
  })
}

/** `GET http://host/path`: one request, one connection. */
async function forward(
  connections: EgressConnections,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.shouldKeepAlive = false
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    response.writeHead(400).end()
    return
  }
  try {
    const upstream = await connections.reach(url.hostname, Number(url.port === '' ? 80 : url.port))
    response.once('close', () => upstream.destroy())
    const outgoing = startRequest({
      createConnection: () => upstream,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEndHeaders(request), host: url.host, connection: 'close' },
    })
    outgoing.once('socket', () => connections.meter(upstream))
    outgoing.on('error', () => abandon(response))
    outgoing.on('response', (answer) => relay(answer, response))
    pipeline(request, outgoing, () => undefined)
  } catch (error) {
    response.writeHead(statusOf(error), reasonOf(error)).end()
  }
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(answer.statusCode ?? 502, endToEndLines(answer))
    pipeline(answer, response, () => undefined)
  } catch {
    abandon(response)
  }
}

function abandon(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(502, 'Bad Gateway').end()
}

function statusOf(error: unknown): number {
  if (error instanceof OutboundRefused) return 403
  return error instanceof OutboundFailed && error.kind === 'timeout' ? 504 : 502
}

function reasonOf(error: unknown): string {
  return error instanceof OutboundRefused ? 'Refused by the outbound guard' : 'No connection'
}
