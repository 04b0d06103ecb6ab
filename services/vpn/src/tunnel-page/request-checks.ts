import type { IncomingMessage } from 'node:http'

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

/** Bytes of a form, at most. */
const maxForm = 8192

/**
 * Returns the host that a request names. Throws `Refused` unless it is one of the page's: a page of another name that leads here
 * (DNS rebinding) has that name in its requests.
 */
export function checkHost({ rawHeaders }: IncomingMessage, hosts: readonly string[], port: number): string {
  const given = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  const [host = ''] = given
  const known = hosts.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])])
  if (given.length !== 1 || !known.includes(host.toLowerCase()))
    throw new Refused(421, 'This address does not lead to this page.')
  return host.toLowerCase()
}

/** Throws `Refused` unless a form was sent by this page itself. */
export function checkOrigin({ headers }: IncomingMessage, host: string): void {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = headers
  if (origin.toLowerCase() !== `http://${host}` || site !== 'same-origin')
    throw new Refused(403, 'Only this page itself can send this.')
}

/** Reads a form. Throws `Refused` for anything else. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Refused(415, 'Only forms can be sent here.')
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxForm) throw new Refused(413, 'The form is too long.')
    pieces.push(piece)
  }
  return new URLSearchParams(Buffer.concat(pieces).toString('utf8'))
}
