import { createHash, X509Certificate } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { parseJson } from '@hearth/runtime'
import type { z } from 'zod'
import { fingerprintOf } from '../nodes/authority.ts'
import { controlName, LinkRefusal, maxLinkBody } from '../nodes/link-schema.ts'
import type { Identity } from './identity.ts'

/** Longest time for one request that does not say another, and for a connection, milliseconds. */
const defaultTimeoutMs = 10_000

/** Longest time for a file, milliseconds. */
const downloadMs = 600_000

/** Connections to the service: two requests that wait, a report, queries and a file. */
const maxSockets = 5

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
    this.#agent = new Agent({ ...ends, keepAlive: true, maxSockets, maxCachedSessions: 0 })
  }

  /** Sends a request and returns the answer. Throws a `ControlRefused` when the service says no. */
  async send<S extends z.ZodType>(
    path: string,
    body: object,
    { answer, signal, timeoutMs = defaultTimeoutMs }: { answer: S; signal?: AbortSignal; timeoutMs?: number },
  ): Promise<z.output<S>> {
    const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])])
    const response = await this.#open({ method: 'POST', path, content: JSON.stringify(body), signal: end })
    const text = await readText(response)
    if (response.statusCode !== 200) throw refusalOf(response, text)
    const { success, data } = answer.safeParse(parseJson(text))
    if (!success) throw new Error('its answer is not that of a Hearth VPN')
    return data
  }

  /**
   * Fetches a file to a path, for its owner alone. Throws a `ControlRefused` when the service says no, and an error when what comes is
   * not the file of that size and SHA-256 (hex); the path then holds what came.
   */
  async download(
    path: string,
    file: string,
    { size, sha256, signal }: { size: number; sha256: string; signal: AbortSignal },
  ): Promise<void> {
    const end = AbortSignal.any([AbortSignal.timeout(downloadMs), signal])
    const response = await this.#open({ method: 'GET', path, signal: end })
    if (response.statusCode !== 200) throw refusalOf(response, await readText(response))
    const hash = createHash('sha256')
    let received = 0
    const check = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        received += piece.length
        if (received > size) throw new Error('the file that it sends is longer than it said')
        hash.update(piece)
        yield piece
      }
    }
    await pipeline(response, check, createWriteStream(file, { mode: 0o600, flush: true }), { signal: end })
    if (received < size) throw new Error('the file that it sends is shorter than it said')
    if (hash.digest('hex') !== sha256) throw new Error('the file that it sends is not the one that it named')
  }

  /** Sends a request and resolves with the answer, whose body is not read yet. */
  #open({ method, path, content, signal }: LinkRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const { port } = this.#url
    const sent = request({
      method,
      host: hostOf(this.#url),
      port: port === '' ? 443 : port,
      path,
      headers:
        content === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) },
      agent: this.#agent,
      signal,
    })
    sent.once('error', reject)
    sent.once('response', resolve)
    sent.end(content)
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A request of the link; one without content has no body. */
interface LinkRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly content?: string
  readonly signal: AbortSignal
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const piece of response as AsyncIterable<string>) {
    text += piece
    if (text.length > maxLinkBody.answer) throw new Error('its answer is too long')
  }
  return text
}

function refusalOf({ statusCode: status = 0 }: IncomingMessage, text: string): ControlRefused {
  const { data } = LinkRefusal.safeParse(parseJson(text))
  return new ControlRefused(status, data?.message ?? `it answers with status ${status}`)
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
