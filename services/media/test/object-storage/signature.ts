import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { StorageError } from './storage-error.ts'

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A request whose signature (AWS Signature Version 4) is good; what is needed to check the signatures of its chunks. */
export interface SignedRequest {
  /** Value of `x-amz-content-sha256`: the hash of the body, or how the body is sent. */
  readonly payload: string
  readonly signature: string
  readonly signingKey: Buffer
  readonly scope: string
  readonly date: string
}

/** Greatest error of a request's clock, milliseconds. */
const skew = 15 * 60_000

/** Checks who sent a request and that nothing of it was changed; throws the error that S3 answers. */
export function verifyRequest(request: IncomingMessage, secretOf: (id: string) => string | undefined): SignedRequest {
  const { authorization } = request.headers
  if (authorization === undefined) throw new StorageError(403, 'AccessDenied')
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, id = '', day = '', region = '', headerList = '', signature = ''] = parts.exec(authorization) ?? []
  if (signature === '') throw new StorageError(400, 'AuthorizationHeaderMalformed')
  const secret = secretOf(id)
  if (secret === undefined) throw new StorageError(403, 'InvalidAccessKeyId')
  const date = headerOf(request, 'x-amz-date')
  assertRecent(date, day)
  const signedHeaders = headerList.split(';')
  assertAllSigned(request, signedHeaders)
  const payload = headerOf(request, 'x-amz-content-sha256')
  const scope = `${day}/${region}/s3/aws4_request`
  const signingKey = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
  const canonical = canonicalRequest(request, signedHeaders, payload)
  const expected = hmac(signingKey, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`)
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new StorageError(403, 'SignatureDoesNotMatch')
  return { payload, signature, signingKey, scope, date }
}

function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  if (typeof value !== 'string') throw new StorageError(400, 'MissingSecurityHeader')
  return value
}

function assertRecent(date: string, day: string): void {
  const [, year, month, date2, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  if (second === undefined || !date.startsWith(day)) throw new StorageError(403, 'AccessDenied')
  const at = Date.UTC(Number(year), Number(month) - 1, Number(date2), Number(hour), Number(minute), Number(second))
  if (Math.abs(Date.now() - at) > skew) throw new StorageError(403, 'RequestTimeTooSkewed')
}

/** The host and everything that means something to S3 must be signed. */
function assertAllSigned(request: IncomingMessage, signedHeaders: readonly string[]): void {
  const needed = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  if (needed.some((name) => !signedHeaders.includes(name))) throw new StorageError(403, 'AccessDenied')
}

function canonicalRequest(request: IncomingMessage, signedHeaders: readonly string[], payload: string): string {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage')
  const path = pathname
    .split('/')
    .map((part) => encodeStrictly(decodeURIComponent(part)))
    .join('/')
  const query = [...searchParams]
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const headers = signedHeaders
    .map((name) => `${name}:${String(request.headers[name]).trim().replaceAll(/\s+/g, ' ')}\n`)
    .join('')
  return [request.method, path, query, headers, signedHeaders.join(';'), payload].join('\n')
}

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const emptyHash = sha256('')

/** Checks the signatures of a body's chunks, one after the other; each one holds the one before it. */
export function createChunkVerifier(request: SignedRequest) {
  let previous = request.signature
  const check = (kind: string, parts: readonly string[], given: string) => {
    const text = [kind, request.date, request.scope, previous, ...parts].join('\n')
    const expected = hmac(request.signingKey, text).toString('hex')
    if (expected !== given) throw new StorageError(403, 'SignatureDoesNotMatch')
    previous = expected
  }
  return {
    chunk: (content: Buffer, given: string) => check('AWS4-HMAC-SHA256-PAYLOAD', [emptyHash, sha256(content)], given),
    trailer: (lines: string, given: string) => check('AWS4-HMAC-SHA256-TRAILER', [sha256(lines)], given),
  }
}
