import type { X509Certificate } from 'node:crypto'
import { request as requestPlain, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, isIPv6 } from 'node:net'
import { createSecureContext, type ConnectionOptions, type SecureContext, type TLSSocket } from 'node:tls'
import { reachHeader } from '../../caddy/reach-routes.ts'

/** One request to a site, sent to the Caddy that serves it. */
export interface SiteRequest {
  /** Address of Caddy. */
  readonly address: string
  readonly port: number
  readonly isTls: boolean
  /** Name of the site: server name and Host. */
  readonly host: string
  readonly path: string
  readonly timeoutMs: number
  /** Text to look for in the page; null when its head will do. */
  readonly text: string | null
  /** True when the TLS handshake alone is checked: the site wants a certificate of its visitors. */
  readonly isHandshake: boolean
  /** Wall clock, for the dates of certificates. */
  readonly now: number
  readonly signal?: AbortSignal | undefined
}

/** What the certificate is, as a visitor's browser judges it. */
export interface CertificateVerdict {
  readonly problem: 'expired' | 'not-yet-valid' | 'other-name' | 'untrusted' | undefined
  /** Names, dates or a code of OpenSSL, by the problem. */
  readonly detail: string
}

/** Answer to a request, or how far it came. */
export type SiteAnswer =
  | {
      readonly kind: 'answered'
      /** Undefined after a handshake alone. */
      readonly status: number | undefined
      readonly location: string | undefined
      /** True for the refusal of a site that this machine does not reach. */
      readonly isRefused: boolean
      /** Undefined when no text was looked for. */
      readonly hasText: boolean | undefined
      readonly latencyMs: number
      readonly certificate: CertificateVerdict | undefined
    }
  | { readonly kind: 'failed'; readonly stage: 'connection' | 'tls' | 'answer'; readonly code: string }
  | { readonly kind: 'timeout'; readonly stage: 'connection' | 'tls' | 'answer' }

/** Largest part of a page that is searched, bytes. */
const maxSearched = 262_144

/** Made at the first use: reading the roots takes a while. */
let context: SecureContext | undefined

/** Sends the request over a new connection to the given address and nowhere else. Never rejects, and follows no redirect. */
export function requestSite(target: SiteRequest): Promise<SiteAnswer> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let stage: 'connection' | 'tls' | 'answer' = 'connection'
    const request = open(target)
    const end = (answer: SiteAnswer) => {
      clearTimeout(timer)
      target.signal?.removeEventListener('abort', onAbort)
      resolve(answer)
      request.destroy()
    }
    const onAbort = () => end({ kind: 'failed', stage, code: 'ABORTED' })
    const timer = setTimeout(() => end({ kind: 'timeout', stage }), target.timeoutMs)
    target.signal?.addEventListener('abort', onAbort, { once: true })
    const answered = (
      about: Partial<Pick<SiteAnswer & { kind: 'answered' }, 'status' | 'location' | 'hasText' | 'isRefused'>>,
    ) => {
      const latencyMs = Math.round((performance.now() - begun) * 10) / 10
      const certificate = target.isTls ? judgeCertificate(request.socket as TLSSocket, target) : undefined
      end({
        kind: 'answered',
        status: undefined,
        location: undefined,
        isRefused: false,
        hasText: undefined,
        ...about,
        latencyMs,
        certificate,
      })
    }
    request.on('socket', (socket) => {
      socket.on('connect', () => (stage = target.isTls ? 'tls' : 'answer'))
      socket.on('secureConnect', () => {
        stage = 'answer'
        if (target.isHandshake) answered({})
      })
    })
    request.on('error', (error) => end({ kind: 'failed', stage, code: codeOf(error) }))
    request.on('response', (response) => {
      const { statusCode: status, headers } = response
      const about = { status, location: headers.location, isRefused: headers[reachHeader.toLowerCase()] === 'refused' }
      if (target.text === null) answered(about)
      else
        void findText(response, target.text).then(
          (hasText) => answered({ ...about, hasText }),
          (error: unknown) => end({ kind: 'failed', stage, code: codeOf(error) }),
        )
    })
    request.end()
  })
}

function open({ address, port, isTls, host, path }: SiteRequest): ClientRequest {
  const options: RequestOptions = {
    host: address,
    port,
    path,
    agent: false,
    headers: { host: isIPv6(host) ? `[${host}]` : host, 'user-agent': 'Hearth check', accept: '*/*' },
  }
  if (!isTls) return requestPlain(options)
  context ??= createSecureContext()
  const servername = isIP(host) === 0 ? host : ''
  const tls: ConnectionOptions = { servername, rejectUnauthorized: false, secureContext: context }
  return requestSecure({ ...options, ...tls } as RequestOptions)
}

async function findText(response: IncomingMessage, text: string): Promise<boolean> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size >= maxSearched) break
  }
  return Buffer.concat(parts).subarray(0, maxSearched).toString().includes(text)
}

function judgeCertificate(socket: TLSSocket, { host, now }: SiteRequest): CertificateVerdict {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return { problem: 'untrusted', detail: 'there was none' }
  if (certificate.validToDate.getTime() < now) return { problem: 'expired', detail: dayText(certificate.validToDate) }
  if (certificate.validFromDate.getTime() > now)
    return { problem: 'not-yet-valid', detail: dayText(certificate.validFromDate) }
  if (!isFor(certificate, host))
    return { problem: 'other-name', detail: certificate.subjectAltName ?? certificate.subject }
  if (!socket.authorized) return { problem: 'untrusted', detail: String(socket.authorizationError) }
  return { problem: undefined, detail: '' }
}

const isFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined

const dayText = (date: Date): string => date.toISOString().slice(0, 10)

const codeOf = (error: unknown): string => {
  const { code, reason, message } = error as NodeJS.ErrnoException & { reason?: string }
  return (code ?? reason ?? message ?? 'unknown').slice(0, 100)
}
