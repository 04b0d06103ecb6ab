import { constants, type X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { addressGroup, createBudget, limitConnections, phraseOfZodIssue, plainAddress } from '@hearth/http'
import { type Clock, type Log, OperatorError, parseJson } from '@hearth/runtime'
import type { z } from 'zod'
import type { Listener } from '../dns/resolver-files.ts'
import { invalidField, Problem, toError } from '../problems.ts'
import type { Admission } from './admission.ts'
import type { NodeAuthority } from './authority.ts'
import { JoinRequest, linkPaths, maxLinkBody, Report, StateRequest } from './link-schema.ts'
import type { NodeRow } from './tables.ts'
import type { WantedStates } from './wanted-state.ts'

export interface LinkServerDependencies {
  readonly authority: Pick<NodeAuthority, 'read'>
  readonly admission: Pick<Admission, 'join' | 'identify' | 'report'>
  readonly states: Pick<WantedStates, 'answer'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'info'>
  readonly listeners: readonly Listener[]
}

/** Requests a minute: of a node, and of an address that is none, joins included. */
const perMinute = { node: 300, unknown: 10 } as const
/** Connections at one address of this host, and of one address there. */
const connections = { total: 500, ofAddress: 100 } as const
/** Time for a request and for the handshake before it, and for a connection between two requests, milliseconds. */
const [requestMs, idleMs] = [10_000, 65_000]

/** The servers that nodes connect to. */
export interface LinkServer {
  close(): Promise<void>
}

/** Listens for nodes. Throws an `OperatorError` that names `VPN_NODES_LISTEN` when that cannot be. */
export async function openLinkServer(dependencies: LinkServerDependencies): Promise<LinkServer> {
  await using cleanup = new AsyncDisposableStack()
  const answer = createLinkAnswers(dependencies)
  const { authority, server: identity } = await dependencies.authority.read()
  for (const { address, port } of dependencies.listeners) {
    const server = createServer(
      {
        minVersion: 'TLSv1.3',
        cert: `${identity.certificate}\n${authority.certificate}`,
        key: identity.key,
        ca: authority.certificate,
        // A host that joins has no certificate yet; each request is checked by itself.
        requestCert: true,
        rejectUnauthorized: false,
        // Every connection proves its key anew.
        secureOptions: constants.SSL_OP_NO_TICKET,
        handshakeTimeout: requestMs,
        maxHeaderSize: 8192,
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        keepAliveTimeout: idleMs,
      },
      (request, response) => void answer(request, response),
    )
    limitConnections(server, connections)
    const sockets = followSockets(server)
    await listen(server, { address, port })
    cleanup.defer(() => end(server, sockets))
  }
  const resources = cleanup.move()
  return { close: () => resources.disposeAsync() }
}

async function listen(server: Server, { address, port }: Pick<Listener, 'address' | 'port'>): Promise<void> {
  try {
    server.listen({ host: address, port, ipv6Only: true, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = reasons[code] ?? message
    throw new OperatorError(`VPN_NODES_LISTEN: cannot listen on ${address}, port ${port}: ${reason}`, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EACCES: 'the service may not use the port',
  EADDRNOTAVAIL: 'this host has no such address',
}

/** Keeps the open connections of a server, those in the middle of their handshake too. */
function followSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function end(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Creates what answers the requests of nodes, and of hosts that join. */
function createLinkAnswers({ admission, states, clock, log }: LinkServerDependencies) {
  const budgetOf = (limit: number) => createBudget({ limit, windowSeconds: 60, capacity: 20_000, clock })
  const budgets = { node: budgetOf(perMinute.node), unknown: budgetOf(perMinute.unknown) }
  const count = (budget: keyof typeof budgets, key: string) => {
    if (!budgets[budget].take(key).allowed)
      throw new Problem('too-many-requests', 'Too many requests. Try again in a minute.')
  }

  async function nodeOf(socket: TLSSocket, from: string): Promise<NodeRow> {
    const certificate = certificateOf(socket)
    const node = certificate && (await admission.identify(certificate))
    if (node === undefined) {
      count('unknown', addressGroup(from))
      throw unknownNode()
    }
    count('node', node.id)
    return node
  }

  /** A node that is removed while it waits gets nothing any more. */
  async function stateOf(node: NodeRow, request: IncomingMessage, signal: AbortSignal): Promise<unknown> {
    const { revision } = await readBody(request, { schema: StateRequest, most: maxLinkBody.state })
    const answer = await states.answer(node.id, revision, signal)
    const certificate = certificateOf(request.socket as TLSSocket)
    const known = certificate && (await admission.identify(certificate))
    if (known?.id !== node.id) throw unknownNode()
    return answer
  }

  async function dispatch(request: IncomingMessage, from: string, signal: AbortSignal): Promise<unknown> {
    const { method, url, socket } = request
    if (method === 'POST' && url === linkPaths.join) {
      count('unknown', addressGroup(from))
      return admission.join(await readBody(request, { schema: JoinRequest, most: maxLinkBody.join }), from)
    }
    const node = await nodeOf(socket as TLSSocket, from)
    if (method === 'POST' && url === linkPaths.report)
      return admission.report(node, await readBody(request, { schema: Report, most: maxLinkBody.report }), from)
    if (method === 'POST' && url === linkPaths.state) return stateOf(node, request, signal)
    throw new Problem('not-found', 'This version of the service does not know this request of a node')
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const from = plainAddress(request.socket.remoteAddress ?? '')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      send(response, 200, await dispatch(request, from, gone.signal))
    } catch (error) {
      const { status, body } = toError(error)
      if (status >= 500) log.error({ err: error }, 'a request of a node failed')
      else if (status !== 429) log.info({ address: from, status }, 'a request to the address of nodes was refused')
      // Who is refused does not keep a connection, and what was not read is not waited for.
      response.setHeader('connection', 'close')
      send(response, status, body)
    }
  }
}

const unknownNode = () => new Problem('unauthorized', 'This host is not a node of this service, or it was removed')

/** The certificate of a connection, if the authority signed it. */
const certificateOf = (socket: TLSSocket): X509Certificate | undefined =>
  socket.authorized ? socket.getPeerX509Certificate() : undefined

async function readBody<S extends z.ZodType>(
  request: IncomingMessage,
  { schema, most }: { schema: S; most: number },
): Promise<z.output<S>> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > most) throw new Problem('too-large', `The body has more than ${most} bytes`)
    pieces.push(piece)
  }
  const { success, data, error } = schema.safeParse(parseJson(Buffer.concat(pieces).toString('utf8')))
  if (success) return data
  const [issue] = error.issues
  throw invalidField(issue?.path.join('.') || 'body', issue === undefined ? 'is not valid' : phraseOfZodIssue(issue))
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const content = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) }).end(content)
}
