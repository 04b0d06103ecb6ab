import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bytes of a form, at most. */
export const maxForm = 8192

/** A request to the page, as it came over HTTP here or on a node. */
export interface PageRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Each `Host` header. */
  readonly hosts: readonly string[]
  readonly origin: string
  /** `Sec-Fetch-Site`; `same-origin` for a browser that does not send it. */
  readonly site: string
  readonly contentType: string
  /** Reads the body. Throws `Refused` for one that is too long. */
  readonly body: () => Promise<string>
}

/** An answer of the page. */
export interface PageAnswer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** A refused request: the status, and what its page says. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Returns a request as it came over HTTP. */
export function pageRequest(request: IncomingMessage): PageRequest {
  const { rawHeaders, headers, method = 'GET', url = '/' } = request
  return {
    method,
    url,
    hosts: rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host'),
    origin: headers.origin ?? '',
    site: headers['sec-fetch-site'] ?? 'same-origin',
    contentType: headers['content-type'] ?? '',
    body: () => readBody(request),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxForm) throw new Refused(413, 'The form is too long.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Sends an answer. What was not read of a refused request is not waited for. */
export function sendPage(
  { complete }: Pick<IncomingMessage, 'complete'>,
  response: ServerResponse,
  { status, text, headers }: PageAnswer,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  if (status >= 400 && !complete) response.setHeader('connection', 'close')
  const content = Buffer.from(text)
  const length = status === 204 ? {} : { 'content-length': content.length }
  response.writeHead(status, { ...headers, ...length })
  // Node leaves the content out of an answer to HEAD.
  response.end(content)
}
