import { request as requestHttp, type IncomingHttpHeaders } from 'node:http'
import { request as requestHttps } from 'node:https'
import { portReopened } from './reopened-port.ts'

/** Options of a visit. */
export interface Visit {
  readonly port: number
  readonly host: string
  /** Address on loopback that the visitor has, such as `127.8.0.2`. */
  readonly from: string
  readonly isSecure?: boolean
  readonly method?: string
  /** As it goes over the wire. */
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Name in the TLS handshake; the host when missing. */
  readonly serverName?: string
}

/** Answer to a visit. */
export interface VisitAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Requests a host from an address of loopback, over a connection of its own, once only the newest configuration listens. */
export async function visitFrom(visit: Visit): Promise<VisitAnswer> {
  const { port, host, from, isSecure = false, method = 'GET', target = '/', headers = {}, serverName = host } = visit
  await portReopened(port)
  const { promise, resolve, reject } = Promise.withResolvers<VisitAnswer>()
  const options = {
    host: '127.0.0.1',
    port,
    localAddress: from,
    method,
    path: target,
    headers: { Host: host, ...headers },
    agent: false,
    timeout: 20_000,
  } as const
  const outgoing = isSecure
    ? requestHttps({ ...options, rejectUnauthorized: false, servername: serverName })
    : requestHttp(options)
  outgoing.on('response', (response) => {
    let text = ''
    response.on('data', (part: Buffer) => (text += part.toString()))
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 20 s')))
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}
