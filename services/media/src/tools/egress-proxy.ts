import { once } from 'node:events'
import {
  createServer,
  request as startRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { OutboundFailed, OutboundRefused, type OutboundPolicy } from '@hearth/outbound'
import { EgressConnections, type EgressLimits, type Refusal } from './egress-connections.ts'

/** The way out for one run of a tool. */
export interface EgressProxy extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for the tool's proxy option. */
  readonly url: string
  /** Aborted when more than `maxBytes` arrived; every connection is cut by then. */
  readonly exhausted: AbortSignal
  /** The first refusals of the run, in order. */
  refused(): readonly Refusal[]
  /** Connections were tried in this run, and not one was made. */
  isOffline(): boolean
  /** Bytes that arrived from outside so far. */
  bytes(): number
  /** Ends every connection at once; resolves when the port is free. */
  close(): Promise<void>
}

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
    isOffline: () => connections.isOffline,
    bytes: () => connections.bytes,
    close,
    [Symbol.asyncDispose]: close,
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

/** Joins two connections. Data before an orderly end is delivered; a broken side ends the other at once. */
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

/** Headers that are about one connection and not about what it carries. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of a message that a proxy hands on. */
function endToEndHeaders(message: IncomingMessage): IncomingHttpHeaders {
  const isOwn = ownHeadersOf(message)
  return Object.fromEntries(Object.entries(message.headers).filter(([name]) => !isOwn(name)))
}

/** The same as they came, name and value in turn, repeated lines kept apart. */
function endToEndLines(message: IncomingMessage): string[] {
  const isOwn = ownHeadersOf(message)
  const { rawHeaders } = message
  return rawHeaders.filter((_, index) => !isOwn((rawHeaders[index - (index % 2)] ?? '').toLowerCase()))
}

function ownHeadersOf({ headers }: IncomingMessage): (name: string) => boolean {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  return (name) => hopByHop.has(name) || named.has(name)
}
