import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '@hearth/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toHttpError } from './to-http-error.ts'
import { HttpError } from './http-error.ts'
import { plainHeaders } from './security-headers.ts'

/** An error answer in the service's format. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Media type of the body; `application/json` when left out. */
  readonly media?: string
  /** A status from 500 that is no failure of the server itself, and no matter for its log. */
  readonly isExpected?: boolean
}

/** Form of a server's errors, and the log of its own failures. */
interface ErrorHandling {
  readonly toError: (error: unknown, request: FastifyRequest) => ErrorAnswer
  readonly log: Log
}

/** Answers a malformed request, which never reaches a route, in the service's format. */
export function refuseUnreadable(
  handling: Pick<ErrorHandling, 'toError'>,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer = handling.toError(new HttpError({ kind: 'malformed' }), {
    url: '/',
    id: randomUUID(),
  } as FastifyRequest)
  const body = JSON.stringify(answer.body)
  const headers = {
    ...plainHeaders,
    'cache-control': 'no-store',
    'content-type': `${answer.media ?? 'application/json'}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

/** Sends an error in the service's format. Failures of the server are logged with their stack. */
export function sendError(handling: ErrorHandling, reply: FastifyReply, error: unknown): FastifyReply {
  const answer = handling.toError(toHttpError(error), reply.request)
  if (answer.status >= 500 && answer.isExpected !== true)
    handling.log.error({ err: error, url: loggedUrl(reply.request) }, 'request failed')
  return reply
    .removeHeader('content-encoding')
    .code(answer.status)
    .headers({ 'cache-control': 'no-store', ...answer.headers })
    .type(`${answer.media ?? 'application/json'}; charset=utf-8`)
    .send(JSON.stringify(answer.body))
}

/** The address of a request for the log: without the query, and without the token of a route that has one in its path. */
function loggedUrl({ url, routeOptions, params }: FastifyRequest): string {
  const hasToken = (params as { token?: unknown } | undefined)?.token !== undefined
  return hasToken ? (routeOptions.url ?? '') : url.replace(/\?.*/s, '')
}
