import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** A query is a question and its options; this is plenty. */
const maxQueryBytes = 4096
const maxQueryText = Math.ceil((maxQueryBytes * 4) / 3)
/** Time that a body may take. */
const bodyMs = 5000

/** The DNS message of a request by GET or POST; the status of what is wrong with it otherwise. Never rejects. */
export function readQuery(
  request: IncomingMessage | Http2ServerRequest,
  search: string,
): Promise<Uint8Array | number> | Uint8Array | number {
  if (request.method === 'GET') return queryInAddress(search)
  if (request.method !== 'POST') return 405
  if (!/^application\/dns-message(;|$)/i.test(request.headers['content-type'] ?? '')) return 415
  if (Number(request.headers['content-length'] ?? 0) > maxQueryBytes) return 413
  return queryInBody(request)
}

function queryInAddress(search: string): Uint8Array | number {
  const text = search
    .split('&')
    .find((part) => part.startsWith('dns='))
    ?.slice(4)
  if (text === undefined || !/^[\w-]+={0,2}$/.test(text)) return 400
  if (text.length > maxQueryText) return 413
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

function queryInBody(request: IncomingMessage | Http2ServerRequest): Promise<Uint8Array | number> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | number>()
  const pieces: Uint8Array[] = []
  let length = 0
  const timer = setTimeout(() => resolve(408), bodyMs)
  request.on('data', (piece: Buffer) => {
    length += piece.length
    if (length > maxQueryBytes) resolve(413)
    else pieces.push(piece)
  })
  request.on('end', () => resolve(new Uint8Array(Buffer.concat(pieces))))
  request.on('close', () => resolve(400))
  return promise.finally(() => {
    clearTimeout(timer)
    request.removeAllListeners('data')
  })
}
