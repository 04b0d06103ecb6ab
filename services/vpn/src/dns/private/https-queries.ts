import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { encodeSocketAddress, isNearby } from '../sockets/socket-address.ts'
import type { Certificate } from './certificate.ts'
import type { Door } from './door.ts'
import { readQuery } from './http-query.ts'
import { tlsOptions } from './tls-queries.ts'
import { Visit } from './visit.ts'

/** As Node has it for HTTP/1.1. */
const maxHeaderBytes = 16_384
/** Requests at a time on a connection of HTTP/2. */
const maxStreams = 100
/** Connections of reverse proxies, which carry many devices each. */
const maxProxyConnections = 256

type QueryRequest = IncomingMessage | Http2ServerRequest
type QueryResponse = ServerResponse | Http2ServerResponse

/**
 * DNS over HTTPS (RFC 8484), HTTP/2 and HTTP/1.1. The path of a request names its device. Connections come by
 * `emit('connection')`, after the door let them in.
 */
export function createHttpsQueries(door: Door, certificate: Certificate): Http2SecureServer {
  const visits = new WeakMap<object, Visit>()
  const server = createSecureServer(
    {
      ...tlsOptions(certificate),
      allowHTTP1: true,
      // A session that opens and resets streams without end is ended (CVE-2023-44487).
      streamResetBurst: 2 * maxStreams,
      streamResetRate: 20,
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
      unknownProtocolTimeout: 1000,
      settings: { enablePush: false, maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeaderBytes },
    },
    (request: QueryRequest, response: QueryResponse) => {
      const visit = visits.get(isOfHttp2(request) ? (request.stream.session ?? request) : request.socket)
      void answerRequest(door, request, response, visit)
    },
  )
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined)
    if (socket.alpnProtocol !== 'h2') visits.set(socket, new Visit(door.entryOf(socket), socket))
  })
  server.on('session', (session) => {
    session.on('error', () => undefined)
    visits.set(session, new Visit(door.entryOf(session.socket), session))
  })
  server.on('sessionError', () => undefined)
  return server
}

/** The same without TLS, for a reverse proxy that ends it: on this machine or in a private network. */
export function createProxiedQueries(door: Door): Server {
  const options = { headersTimeout: 5000, requestTimeout: 10_000, noDelay: true }
  const server = createServer(options, (request, response) => void answerRequest(door, request, response, undefined))
  server.maxConnections = maxProxyConnections
  const address = new Uint8Array(32)
  server.prependListener('connection', (socket) => {
    encodeSocketAddress(address, 0, (socket.remoteAddress ?? '').replace(/%.*/, ''), 0)
    if (socket.remoteAddress === undefined || !isNearby(address, 0)) socket.destroy()
  })
  return server
}

/** Answers a request. Who has no secret gets the same 404 for everything. */
async function answerRequest(
  door: Door,
  request: QueryRequest,
  response: QueryResponse,
  visit: Visit | undefined,
): Promise<void> {
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  const [path = '', search = ''] = (request.url ?? '').split('?', 2)
  const hashed = door.secrets.ofPath(path)
  const client = door.secrets.clientOf(hashed)
  if (client === 0) {
    refuse(request, response, 404)
    visit?.failed()
    return
  }
  if (visit?.isOf(client) === false) return refuse(request, response, 429)
  const query = await readQuery(request, search)
  if (typeof query === 'number') return refuse(request, response, query)
  const answer = await door.answer(hashed, query)
  if (typeof answer === 'string') return refuse(request, response, refusals[answer])
  // Not to be kept: a rule that was changed holds for the next query.
  const headers = { 'content-type': 'application/dns-message', 'cache-control': 'no-store' }
  send(response, 200, { ...headers, 'content-length': answer.length }, answer)
}

const refusals = { unknown: 404, limited: 429, malformed: 400 } as const

/** Ends a request without an answer. */
function refuse(request: QueryRequest, response: QueryResponse, status: number): void {
  const isOld = request.httpVersionMajor === 1
  send(response, status, { 'content-length': 0, ...(isOld ? { connection: 'close' } : {}) })
  // What is left of it is thrown away, for as long as the connection may last.
  request.resume()
}

function send(
  response: QueryResponse,
  status: number,
  headers: Record<string, string | number>,
  body: Uint8Array = new Uint8Array(0),
): void {
  if (response.destroyed || response.writableEnded) return
  if (response instanceof Http2ServerResponse) response.writeHead(status, headers).end(body)
  else response.writeHead(status, headers).end(body)
}

const isOfHttp2 = (request: QueryRequest): request is Http2ServerRequest => request instanceof Http2ServerRequest
