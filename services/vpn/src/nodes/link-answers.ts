import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TLSSocket } from 'node:tls'
import { addressGroup, createBudget, phraseOfZodIssue, plainAddress } from '@hearth/http'
import { type Clock, type Log, parseJson } from '@hearth/runtime'
import type { z } from 'zod'
import { invalidField, Problem, toError } from '../problems.ts'
import type { Admission } from './admission.ts'
import { DnsRequest } from './dns/manifest.ts'
import type { NodeDns, OutgoingFile } from './dns/node-dns.ts'
import {
  JoinRequest,
  linkPaths,
  maxLinkBody,
  PageQuery,
  type PageQueryAnswer,
  QueryBatch,
  Report,
  StateRequest,
} from './link-schema.ts'
import type { NodeQueries } from './node-queries.ts'
import type { NodeRow } from './tables.ts'
import type { WantedStates } from './wanted-state.ts'

export interface LinkAnswersDependencies {
  readonly admission: Pick<Admission, 'join' | 'identify' | 'report'>
  readonly states: Pick<WantedStates, 'answer'>
  readonly dns: Pick<NodeDns, 'answer' | 'open'>
  readonly queries: Pick<NodeQueries, 'take'>
  /** Answers a request to the page for peers that came to a node. Throws a `Problem` for one that has no such page. */
  readonly page: (nodeId: string, query: PageQuery) => Promise<z.input<typeof PageQueryAnswer>>
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'info'>
}

/** Requests a minute: of a node, those of its peers to their page, and of an address that is none, joins included. */
const perMinute = { node: 300, page: 1200, unknown: 10 } as const
/** Time in which a node takes a file of the largest size, milliseconds. */
const fileMs = 600_000

/** A request with what is known when it begins: a connection that ended has no address any more. */
interface Asked {
  readonly request: IncomingMessage
  readonly socket: TLSSocket
  readonly from: string
  /** Aborts when nobody waits for the answer any more. */
  readonly gone: AbortSignal
}

type AnswerNode = (node: NodeRow, asked: Asked) => Promise<unknown>

/** Creates the answers to nodes that are known, by method and path. */
function createRoutes({
  admission,
  states,
  dns,
  queries,
  page,
}: Pick<LinkAnswersDependencies, 'admission' | 'states' | 'dns' | 'queries' | 'page'>): Readonly<
  Record<string, AnswerNode>
> {
  /** Answers a node after a wait; one that is removed meanwhile gets nothing any more. */
  async function afterWait<T>(node: NodeRow, { socket }: Asked, answer: Promise<T>): Promise<T> {
    const waited = await answer
    const certificate = certificateOf(socket)
    const known = certificate && (await admission.identify(certificate))
    if (known?.id !== node.id) throw unknownNode()
    return waited
  }

  return {
    async [`POST ${linkPaths.report}`](node, { request, from }) {
      const report = await readBody(request, { schema: Report, most: maxLinkBody.report })
      return admission.report(node, report, from)
    },
    async [`POST ${linkPaths.state}`](node, asked) {
      const { revision } = await readBody(asked.request, { schema: StateRequest, most: maxLinkBody.state })
      return afterWait(node, asked, states.answer(node.id, revision, asked.gone))
    },
    async [`POST ${linkPaths.dns}`](node, asked) {
      const { revision, logs } = await readBody(asked.request, { schema: DnsRequest, most: maxLinkBody.state })
      return afterWait(node, asked, dns.answer({ id: node.id, logs }, revision, asked.gone))
    },
    async [`POST ${linkPaths.queries}`](node, { request }) {
      const batch = await readBody(request, { schema: QueryBatch, most: maxLinkBody.queries })
      return { counted: await queries.take(node, batch) }
    },
    async [`POST ${linkPaths.page}`](node, { request }) {
      return page(node.id, await readBody(request, { schema: PageQuery, most: maxLinkBody.page }))
    },
    [`GET ${linkPaths.dnsFiles}`]: (node, { request: { url = '' } }) =>
      dns.open(node.id, url.slice(linkPaths.dnsFiles.length)),
  }
}

/** Creates what answers the requests of nodes, and of hosts that join. */
export function createLinkAnswers({ clock, log, ...dependencies }: LinkAnswersDependencies) {
  const { admission } = dependencies
  const routes = createRoutes(dependencies)
  const budgetOf = (limit: number) => createBudget({ limit, windowSeconds: 60, capacity: 20_000, clock })
  const budgets = {
    node: budgetOf(perMinute.node),
    page: budgetOf(perMinute.page),
    unknown: budgetOf(perMinute.unknown),
  }
  const count = (budget: keyof typeof budgets, key: string) => {
    if (!budgets[budget].take(key).allowed)
      throw new Problem('too-many-requests', 'Too many requests. Try again in a minute.')
  }

  async function nodeOf({ socket, from, request }: Asked): Promise<NodeRow> {
    const certificate = certificateOf(socket)
    const node = certificate && (await admission.identify(certificate))
    if (node === undefined) {
      count('unknown', addressGroup(from))
      throw unknownNode()
    }
    count(request.url === linkPaths.page ? 'page' : 'node', node.id)
    return node
  }

  async function dispatch(asked: Asked): Promise<unknown> {
    const { request, from } = asked
    const { method, url = '' } = request
    if (method === 'POST' && url === linkPaths.join) {
      count('unknown', addressGroup(from))
      return admission.join(await readBody(request, { schema: JoinRequest, most: maxLinkBody.join }), from)
    }
    const node = await nodeOf(asked)
    const path = url.startsWith(linkPaths.dnsFiles) ? linkPaths.dnsFiles : url
    const answer = routes[`${method} ${path}`]
    if (answer === undefined)
      throw new Problem('not-found', 'This version of the service does not know this request of a node')
    return answer(node, asked)
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const from = plainAddress(request.socket.remoteAddress ?? '')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      const answer = await dispatch({ request, socket: request.socket as TLSSocket, from, gone: gone.signal })
      if (isFile(answer)) await sendFile(response, answer)
      else send(response, 200, answer)
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

const isFile = (answer: unknown): answer is OutgoingFile =>
  answer !== null && typeof answer === 'object' && 'content' in answer && answer.content instanceof Readable

/** Sends a file piece by piece. What goes wrong meanwhile ends the connection: the node finds the file too short. */
async function sendFile(response: ServerResponse, { size, content }: OutgoingFile): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'cache-control': 'no-store',
    'content-length': size,
  })
  await pipeline(content, response, { signal: AbortSignal.timeout(fileMs) }).catch(() => response.destroy())
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const content = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) }).end(content)
}
