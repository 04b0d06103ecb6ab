import { lookup } from 'node:dns/promises'
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { isIP, isIPv6 } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Upstream } from '../resolver-files.ts'
import { BackOff } from './back-off.ts'
import type { Relay, RelayOptions } from './relay.ts'

const idleMs = 30_000
const connectMs = 5000
const maxAnswerBytes = 65_535
const maxInFlight = 1024
const messageType = 'application/dns-message'

/**
 * Queries by DNS over HTTPS (RFC 8484): POST over one HTTP/2 session, with id 0 as the RFC wishes. The session is closed when idle
 * and made again when needed. The certificate has to be of the host in the address.
 */
export class HttpsRelay implements Relay {
  readonly #upstream: Upstream
  readonly #ca: string | undefined
  readonly #backOff = new BackOff()
  #session: Promise<ClientHttp2Session> | undefined
  /** The session that has answered. */
  #proven: Promise<ClientHttp2Session> | undefined
  #ticket: Buffer | undefined
  #underWay = 0

  constructor(upstream: Upstream, { ca }: RelayOptions) {
    this.#upstream = upstream
    this.#ca = ca
  }

  async query(query: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const obstacle = this.#session === undefined ? this.#backOff.obstacle() : undefined
    if (obstacle !== undefined) throw obstacle
    if (this.#underWay >= maxInFlight) throw new Error('too many queries at a time')
    this.#underWay += 1
    try {
      const answer = await this.#exchangeSurely(query, AbortSignal.timeout(timeoutMs))
      this.#backOff.succeeded()
      this.#proven = this.#session
      answer[0] = query[0]!
      answer[1] = query[1]!
      return answer
    } finally {
      this.#underWay -= 1
    }
  }

  close(): void {
    this.#session?.then(
      (session) => session.destroy(),
      () => undefined,
    )
  }

  /** A server may close whenever it likes: what a session that worked did not answer is queried once more. */
  async #exchangeSurely(query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const wasProven = this.#proven !== undefined && this.#proven === this.#session
    try {
      return await this.#exchange(query, signal)
    } catch (error) {
      if (!wasProven || signal.aborted) throw error
      return this.#exchange(query, signal)
    }
  }

  async #exchange(query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    let session = await inTime(this.#current(), signal)
    if (session.closed || session.destroyed) {
      this.#session = undefined
      session = await inTime(this.#current(), signal)
    }
    const body = Uint8Array.from(query)
    body.fill(0, 0, 2)
    const request = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: this.#upstream.path ?? '/dns-query',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: messageType,
      [constants.HTTP2_HEADER_ACCEPT]: messageType,
      [constants.HTTP2_HEADER_CONTENT_LENGTH]: body.length,
    })
    request.end(body)
    try {
      return await inTime(readAnswer(request), signal)
    } catch (error) {
      request.close(constants.NGHTTP2_CANCEL)
      // A timeout may mean that the connection is dead, so the next query opens another.
      if (signal.aborted) {
        session.destroy()
        this.#session = undefined
      }
      throw error
    }
  }

  /** The session there is, or a new one; a closing session is not used any more. */
  #current(): Promise<ClientHttp2Session> {
    if (this.#session !== undefined) return this.#session
    const opening = this.#open()
    this.#session = opening
    void this.#forgetInTime(opening)
    return opening
  }

  async #forgetInTime(opening: Promise<ClientHttp2Session>): Promise<void> {
    const forget = () => {
      if (this.#session === opening) this.#session = undefined
    }
    try {
      const session = await opening
      for (const event of ['close', 'goaway', 'error'] as const) session.once(event, forget)
    } catch (error) {
      forget()
      this.#ticket = undefined
      this.#backOff.failed(error as Error)
    }
  }

  async #open(): Promise<ClientHttp2Session> {
    const { name = '', port } = this.#upstream
    const address = this.#upstream.address ?? (await lookup(name)).address
    const session = connect(`https://${isIPv6(name) ? `[${name}]` : name}:${port}`, {
      createConnection: () => this.#secure(address),
    })
    session.setTimeout(idleMs, () => session.close())
    const timer = setTimeout(() => session.destroy(new Error('no connection in time')), connectMs)
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve())
      session.once('error', reject)
      session.once('close', () => reject(new Error('the server closed the connection')))
    }).finally(() => clearTimeout(timer))
    session.on('error', () => undefined)
    return session
  }

  #secure(address: string): TLSSocket {
    const { name = '', port } = this.#upstream
    const socket = connectTls({
      host: address,
      port,
      ALPNProtocols: ['h2'],
      minVersion: 'TLSv1.2',
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ...(this.#ticket === undefined ? {} : { session: this.#ticket }),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    })
    socket.on('session', (ticket: Buffer) => (this.#ticket = ticket))
    return socket
  }
}

function readAnswer(request: ClientHttp2Stream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    request.on('response', (headers) => {
      const status = headers[':status']
      const type = headers['content-type'] ?? ''
      if (status !== 200) reject(new Error(`the server answered ${status}`))
      else if (type.split(';')[0]?.trim().toLowerCase() !== messageType) reject(new Error('this is no DNS server'))
    })
    request.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > maxAnswerBytes) reject(new Error('the answer is too long'))
      else pieces.push(piece)
    })
    request.on('end', () => {
      if (length < 12) reject(new Error('the answer is too short'))
      else resolve(new Uint8Array(Buffer.concat(pieces)))
    })
    request.on('error', reject)
    request.on('close', () => reject(new Error('the server closed the connection')))
  })
}

function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('no answer in time'))
    if (signal.aborted) return late()
    signal.addEventListener('abort', late, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late))
  })
}
