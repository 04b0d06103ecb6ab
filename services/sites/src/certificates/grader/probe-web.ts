import { request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIPv6 } from 'node:net'
import { reachHeader } from '../../caddy/reach-routes.ts'
import { type HandshakeTarget, probeName, serverNameOf } from './handshake.ts'
import type { Observation } from './observation.ts'

/** Result of one request over HTTP and one over HTTPS. */
type WebObservation = Pick<Observation, 'hstsSeconds' | 'redirectsToHttps'>

/** Requests `/` by HTTPS and by HTTP and reads only the heads of the answers. Never rejects. */
export async function probeWeb(target: HandshakeTarget, httpPort: number): Promise<WebObservation> {
  const [secure, plain] = await Promise.all([connectSecurely(target), connectPlainly(target, httpPort)])
  const header = secure?.headers['strict-transport-security']
  return {
    hstsSeconds: header === undefined ? undefined : maxAgeOf(header),
    redirectsToHttps: isRedirectToHttps(plain),
  }
}

/** `max-age` of a Strict-Transport-Security header (RFC 6797); undefined when it has none that counts. */
export function maxAgeOf(header: string): number | undefined {
  for (const directive of header.split(';')) {
    const match = /^\s*max-age\s*=\s*"?(\d{1,12})"?\s*$/i.exec(directive)
    if (match?.[1] !== undefined) return Number(match[1])
  }
  return undefined
}

function isRedirectToHttps(answer: IncomingMessage | undefined): boolean | undefined {
  if (answer === undefined) return undefined
  const isRedirect = (answer.statusCode ?? 0) >= 300 && (answer.statusCode ?? 0) < 400
  return isRedirect && (answer.headers.location ?? '').toLowerCase().startsWith('https://')
}

const hostHeader = (host: string): string => (isIPv6(host) ? `[${host}]` : probeName(host))

const common = ({ address, host, signal, timeoutMs }: HandshakeTarget) => ({
  host: address,
  path: '/',
  agent: false,
  headers: { host: hostHeader(host), 'user-agent': 'Hearth certificate check' },
  timeout: timeoutMs,
  ...(signal === undefined ? {} : { signal }),
})

function connectSecurely(target: HandshakeTarget): Promise<IncomingMessage | undefined> {
  const options = { ...common(target), port: target.port, rejectUnauthorized: false }
  return headOf(() => requestSecure({ ...options, servername: serverNameOf(target.host), ...anyTls }))
}

function connectPlainly(target: HandshakeTarget, port: number): Promise<IncomingMessage | undefined> {
  return headOf(() => requestPlain({ ...common(target), port }))
}

/** Old ones too, or a server that knows no others would seem to have no headers. */
const anyTls = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1' } as const

function headOf(open: () => ClientRequest): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const request = open()
    const end = (answer?: IncomingMessage) => {
      resolve(answer)
      request.destroy()
    }
    // The refusal of a site that this machine does not reach says nothing of the site.
    request.on('response', (answer) => end(reachHeader.toLowerCase() in answer.headers ? undefined : answer))
    request.on('timeout', () => end())
    request.on('error', () => end())
    request.end()
  })
}
