import { lookup } from 'node:dns/promises'
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { isIP, isIPv6 } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Upstream } from '../process/resolver-files.ts'
import { BackOff } from './back-off.ts'
import type { Relay, RelayOptions } from './relay.ts'

const idleMs = 30_000
const longestAnswer = 65_535
const mostUnderWay = 1024
const messageType = 'application/dns-message'

/**
 * Asks by DNS over HTTPS (RFC 8484): POST over one HTTP/2 session, with id 0 as the RFC wishes. The session is closed when idle
 * and made anew when needed. The certificate has to be of the host in the address.
 */
export function createHttpsRelay(upstream: Upstream, options: RelayOptions): Relay {
  const backOff = new BackOff()
  let session: Promise<ClientHttp2Session> | undefined
  /** The session that has answered. */
  let proven: Promise<ClientHttp2Session> | undefined
  let ticket: Buffer | undefined
  let underWay = 0

  async function open(): Promise<ClientHttp2Session> {
    const { name = '', port } = upstream
    const address = upstream.address ?? (await lookup(name)).address
    const opened = connect(`https://${isIPv6(name) ? `[${name}]` : name}:${port}`, {
      createConnection: () => {
        const socket = connectTls({
          host: address,
          port,
          ALPNProtocols: ['h2'],
          minVersion: 'TLSv1.2',
          ...(isIP(name) === 0 ? { servername: name } : {}),
          ...(ticket === undefined ? {} : { session: ticket }),
          ...(options.ca === undefined ? {} : { ca: options.ca }),
        })
        socket.on('session', (next: Buffer) => (ticket = next))
        return socket
      },
    })
    opened.setTimeout(idleMs, () => opened.close())
    await new Promise<void>((resolve, reject) => {
      opened.once('connect', () => resolve())
      opened.once('error', reject)
      opened.once('close', () => reject(new Error('the server closed the connection')))
    })
    opened.on('error', () => undefined)
    return opened
  }

  /** The session there is, or a new one; a session that is on its way out is not used any more. */
  function current(): Promise<ClientHttp2Session> {
    if (session !== undefined) return session
    const opening = open()
    session = opening
    const forget = () => {
      if (session === opening) session = undefined
    }
    opening.then(
      (opened) => {
        for (const event of ['close', 'goaway', 'error'] as const) opened.once(event, forget)
      },
      (error: Error) => {
        forget()
        ticket = undefined
        backOff.failed(error)
      },
    )
    return opening
  }

  async function exchange(query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    let opened = await inTime(current(), signal)
    if (opened.closed || opened.destroyed) {
      session = undefined
      opened = await inTime(current(), signal)
    }
    const body = Uint8Array.from(query)
    body[0] = 0
    body[1] = 0
    const request = opened.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: upstream.path ?? '/dns-query',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: messageType,
      [constants.HTTP2_HEADER_ACCEPT]: messageType,
      [constants.HTTP2_HEADER_CONTENT_LENGTH]: body.length,
    })
    request.end(body)
    try {
      return await inTime(readAnswer(request), signal)
    } catch (error) {
      request.close(constants.NGHTTP2_CANCEL)
      // Silence may mean that the connection is dead: the next query takes another.
      if (signal.aborted) {
        opened.destroy()
        session = undefined
      }
      throw error
    }
  }

  /** A server may close whenever it likes: what a session that worked did not answer is asked once more. */
  async function exchangeSurely(query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const wasProven = proven !== undefined && proven === session
    try {
      return await exchange(query, signal)
    } catch (error) {
      if (!wasProven || signal.aborted) throw error
      return exchange(query, signal)
    }
  }

  return {
    async ask(query, timeoutMs) {
      const obstacle = session === undefined ? backOff.obstacle() : undefined
      if (obstacle !== undefined) throw obstacle
      if (underWay >= mostUnderWay) throw new Error('too many queries at a time')
      underWay += 1
      try {
        const answer = await exchangeSurely(query, AbortSignal.timeout(timeoutMs))
        backOff.succeeded()
        proven = session
        answer[0] = query[0]!
        answer[1] = query[1]!
        return answer
      } finally {
        underWay -= 1
      }
    },
    close() {
      session?.then(
        (opened) => opened.destroy(),
        () => undefined,
      )
    },
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
      if (length > longestAnswer) reject(new Error('the answer is too long'))
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
