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

/** The proxy through which one run of a tool reaches the network. */
export type EgressProxy = Awaited<ReturnType<typeof openEgressProxy>>

/**
 * Opens an HTTP proxy on loopback that only goes where the policy lets it: names are looked up here, once a connection, and
 * the checked address is what is connected to. It tunnels (`CONNECT`) and forwards plain http. Closes when the signal aborts.
 */
export async function openEgressProxy(options: {
  policy: OutboundPolicy
  signal?: AbortSignal | undefined
  limits?: EgressLimits | undefined
}) {
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
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    connections.end()
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    await closed
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    /** `http://127.0.0.1:PORT`, for the tool's proxy option. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Aborted when more than `maxBytes` arrived; every connection is cut by then. */
    exhausted: connections.exhausted,
    /** The first refusals of the run, in order. */
    refused: (): readonly Refusal[] => connections.refusals,
    /** True when connections were tried in this run and none was made. */
    isOffline: () => connections.isOffline,
    /** Bytes that arrived from outside so far. */
    bytes: () => connections.bytes,
    /** Ends every connection at once; resolves when the port is free. */
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
