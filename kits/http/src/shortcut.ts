import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { hostError } from './host-header.ts'
import { plainHeaders } from './security-headers.ts'

/** A successful JSON answer that needs nothing of the framework. */
export interface QuickAnswer {
  readonly body: string
  /** Beside those every answer has: name, value, name, value. */
  readonly headers: readonly string[]
}

/**
 * Answers what must be answered very often without the framework, or returns undefined to leave a request to the routes. What
 * it answers must be what the route would have answered, and it must make the same checks before.
 */
export type Shortcut = (request: IncomingMessage) => QuickAnswer | undefined

/** Form of the id that a caller may choose for its request. */
const requestIdForm = /^[\w-]{1,64}$/

/** The caller's id of the request when it has a proper one, a new one otherwise. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
}

/** Puts the shortcut before the server's own handling of requests. */
export function addShortcut(server: Server, shortcut: Shortcut): void {
  const fixed = [
    ...Object.entries(plainHeaders).flat(),
    'cache-control',
    'no-store',
    'content-type',
    'application/json; charset=utf-8',
  ]
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const quick = hostError(request) === undefined ? shortcut(request) : undefined
    if (quick === undefined) {
      for (const handle of handlers) handle(request, response)
      return
    }
    const own = ['x-request-id', requestIdOf(request), 'content-length', String(Buffer.byteLength(quick.body))]
    response.writeHead(200, [...fixed, ...quick.headers, ...own])
    response.end(quick.body)
  })
}
