import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { readChunked } from './chunked-body.ts'
import type { SignedRequest } from './signature.ts'
import { StorageError } from './storage-error.ts'

/** A received body as a file. */
export interface ReceivedBody {
  readonly file: string
  readonly size: number
  /** In hexadecimal, for the ETag. */
  readonly md5: string
  /** The checksum that came with it, such as `x-amz-checksum-crc32`, and its value. */
  readonly checksum: readonly [name: string, value: string] | undefined
}

/** Writes a request's body to a file and checks it in every way the request promises; the caller removes the file. */
export async function receiveBody(
  request: IncomingMessage,
  signed: SignedRequest,
  file: string,
): Promise<ReceivedBody> {
  const isChunked = signed.payload.startsWith('STREAMING-')
  const decoded = isChunked ? readChunked(request, signed) : { content: request, trailers: new Map<string, string>() }
  const sums = createSums(checksumNameOf(request))
  await pipeline(
    decoded.content,
    async function* measured(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sums.add(chunk)
        yield chunk
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  )
  const { sha256, md5, size, checksum } = sums.end()
  if (!isChunked && signed.payload !== 'UNSIGNED-PAYLOAD' && signed.payload !== sha256) {
    throw new StorageError(400, 'XAmzContentSHA256Mismatch')
  }
  const announced = request.headers['x-amz-decoded-content-length']
  if (isChunked && Number(announced) !== size) throw new StorageError(400, 'IncompleteBody')
  const givenMd5 = request.headers['content-md5']
  if (givenMd5 !== undefined && givenMd5 !== Buffer.from(md5, 'hex').toString('base64')) {
    throw new StorageError(400, 'BadDigest')
  }
  if (checksum === undefined) return { file, size, md5, checksum }
  const [name, value] = checksum
  const given = request.headers[name] ?? decoded.trailers.get(name)
  if (given !== value) throw new StorageError(400, 'BadDigest')
  return { file, size, md5, checksum }
}

function checksumNameOf(request: IncomingMessage): string | undefined {
  const trailer = request.headers['x-amz-trailer']
  if (typeof trailer === 'string') return trailer
  return Object.keys(request.headers).find((name) => /^x-amz-checksum-(?!algorithm|type)/.test(name))
}

function createSums(checksumName: string | undefined) {
  const sha256 = createHash('sha256')
  const md5 = createHash('md5')
  const checksum = checksumName === undefined ? undefined : createChecksum(checksumName)
  let size = 0
  return {
    add(chunk: Buffer) {
      size += chunk.length
      sha256.update(chunk)
      md5.update(chunk)
      checksum?.add(chunk)
    },
    end: () => ({
      size,
      sha256: sha256.digest('hex'),
      md5: md5.digest('hex'),
      checksum:
        checksumName === undefined || checksum === undefined ? undefined : ([checksumName, checksum.end()] as const),
    }),
  }
}

function createChecksum(name: string): { add(chunk: Buffer): void; end(): string } {
  const kind = name.replace('x-amz-checksum-', '')
  if (kind === 'crc32') {
    let sum = 0
    return { add: (chunk) => void (sum = crc32(chunk, sum)), end: () => bytesOf(sum) }
  }
  if (kind === 'crc32c') {
    let sum = 0xffffffff
    return { add: (chunk) => void (sum = crc32c(chunk, sum)), end: () => bytesOf((sum ^ 0xffffffff) >>> 0) }
  }
  if (kind !== 'sha1' && kind !== 'sha256') throw new StorageError(501, 'NotImplemented')
  const hash: Hash = createHash(kind)
  return { add: (chunk) => void hash.update(chunk), end: () => hash.digest('base64') }
}

function bytesOf(sum: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(sum >>> 0)
  return bytes.toString('base64')
}

function crc32c(chunk: Buffer, start: number): number {
  let sum = start
  for (const byte of chunk) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1
  }
  return sum >>> 0
}
