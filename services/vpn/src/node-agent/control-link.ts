import { X509Certificate } from 'node:crypto'
import { Agent, request } from 'node:https'
import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { parseJson } from '@hearth/runtime'
import type { z } from 'zod'
import { fingerprintOf } from '../nodes/authority.ts'
import { controlName, LinkRefusal, maxLinkBody } from '../nodes/link-schema.ts'
import type { Identity } from './identity.ts'

/** Longest time for one request that does not say another, and for a connection, milliseconds. */
const defaultTimeoutMs = 10_000

/** The service answered, and refused. */
export class ControlRefused extends Error {
  override readonly name = 'ControlRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A service, and who connects to it; a host that joins has no certificate yet. */
export type LinkEnds = Pick<Identity, 'url' | 'authority'> & Partial<Pick<Identity, 'certificate' | 'key'>>

/** Requests from this host to the service, over TLS with the certificates of both. */
export class ControlLink {
  readonly #url: URL
  readonly #agent: Agent

  constructor({ url, authority, certificate, key }: LinkEnds) {
    this.#url = new URL(url)
    const own = certificate === undefined || key === undefined ? {} : { cert: certificate, key }
    const ends = { ca: authority, servername: controlName, minVersion: 'TLSv1.3', ...own } as const
    this.#agent = new Agent({ ...ends, keepAlive: true, maxSockets: 2, maxCachedSessions: 0 })
  }

  /** Sends a request and returns the answer. Throws a `ControlRefused` when the service says no. */
  async send<S extends z.ZodType>(
    path: string,
    body: object,
    { answer, signal, timeoutMs = defaultTimeoutMs }: { answer: S; signal?: AbortSignal; timeoutMs?: number },
  ): Promise<z.output<S>> {
    const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])])
    const { status, text } = await this.#exchange(path, JSON.stringify(body), end)
    const parsed = parseJson(text)
    if (status !== 200)
      throw new ControlRefused(
        status,
        LinkRefusal.safeParse(parsed).data?.message ?? `it answers with status ${status}`,
      )
    const { success, data } = answer.safeParse(parsed)
    if (!success) throw new Error('its answer is not that of a Hearth VPN')
    return data
  }

  #exchange(path: string, content: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }
    const { port } = this.#url
    const sent = request({
      method: 'POST',
      host: hostOf(this.#url),
      port: port === '' ? 443 : port,
      path,
      headers,
      agent: this.#agent,
      signal,
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        if (text.length > maxLinkBody.answer) response.destroy(new Error('its answer is too long'))
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(content)
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Fetches the certificate of the authority that a service presents, PEM. Returns undefined when none has this fingerprint (SHA-256,
 * hex): nothing was sent to it then. The caller connects anew and trusts this certificate only.
 */
export function fetchAuthority(url: URL, fingerprint: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const host = hostOf(url)
  const socket = connect({
    host,
    port: url.port === '' ? 443 : Number(url.port),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    minVersion: 'TLSv1.3',
    // Only looks at what is presented; see above.
    rejectUnauthorized: false,
    timeout: defaultTimeoutMs,
  })
  socket.once('timeout', () => socket.destroy(new Error('no answer within 10 seconds')))
  socket.once('error', reject)
  socket.once('secureConnect', () => {
    resolve(findCertificate(socket.getPeerCertificate(true), fingerprint))
    socket.destroy()
  })
  return promise
}

/** Looks through a chain, which ends with a certificate that is its own issuer. */
function findCertificate(first: DetailedPeerCertificate, fingerprint: string): string | undefined {
  const seen = new Set<DetailedPeerCertificate>()
  for (let one: DetailedPeerCertificate | undefined = first; one?.raw && !seen.has(one); one = one.issuerCertificate) {
    seen.add(one)
    const certificate = new X509Certificate(one.raw)
    if (fingerprintOf(certificate) === fingerprint) return certificate.toString()
  }
  return undefined
}
