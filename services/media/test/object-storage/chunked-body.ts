import { createChunkVerifier, type SignedRequest } from './signature.ts'
import { StorageError } from './storage-error.ts'

/** A body without its chunk heads. */
export interface DecodedBody {
  readonly content: AsyncGenerator<Buffer>
  /** Lines behind the content; complete when that was read to its end. */
  readonly trailers: ReadonlyMap<string, string>
}

/** The largest chunk that is taken. */
const chunkLimit = 16 * 1024 * 1024

/**
 * Reads the encoding `aws-chunked`: each chunk with its size and, unless the payload is unsigned, its signature; at the end
 * an empty chunk and perhaps trailers, which are signed too.
 */
export function readChunked(body: AsyncIterable<Buffer>, signed: SignedRequest): DecodedBody {
  const isSigned = signed.payload.startsWith('STREAMING-AWS4-HMAC-SHA256-PAYLOAD')
  const isKnown = isSigned || signed.payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
  if (!isKnown) throw new StorageError(501, 'NotImplemented')
  const verifier = createChunkVerifier(signed)
  const trailers = new Map<string, string>()
  const input = createInput(body)

  async function* content(): AsyncGenerator<Buffer> {
    for (;;) {
      const [, size = '', signature = ''] =
        /^([0-9a-f]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(await input.line()) ?? []
      const length = Number.parseInt(size, 16)
      if (Number.isNaN(length) || length > chunkLimit) throw new StorageError(400, 'InvalidChunkSizeError')
      const chunk = await input.bytes(length)
      if (isSigned) verifier.chunk(chunk, signature)
      if (length === 0) break
      if ((await input.line()) !== '') throw new StorageError(400, 'IncompleteBody')
      yield chunk
    }
    await readTrailers()
  }

  async function readTrailers(): Promise<void> {
    let lines = ''
    for (let line = await input.line(); line !== ''; line = await input.line()) {
      const [, name = '', value = ''] = /^([\w-]+):(.*)$/.exec(line) ?? []
      if (name === 'x-amz-trailer-signature') verifier.trailer(lines, value.trim())
      else lines += `${name}:${value.trim()}\n`
      trailers.set(name.toLowerCase(), value.trim())
    }
    const mustBeSigned = signed.payload.endsWith('PAYLOAD-TRAILER') && isSigned
    if (mustBeSigned && !trailers.has('x-amz-trailer-signature')) throw new StorageError(403, 'AccessDenied')
  }

  return { content: content(), trailers }
}

function createInput(body: AsyncIterable<Buffer>) {
  const source = body[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const step = await source.next()
    if (step.done === true) return false
    held = Buffer.concat([held, step.value])
    return true
  }

  return {
    /** Up to the next line break, or to the end. */
    async line(): Promise<string> {
      let at = held.indexOf('\r\n')
      while (at < 0 && held.length < 8192 && (await more())) at = held.indexOf('\r\n')
      const end = at < 0 ? held.length : at
      const line = held.subarray(0, end).toString('latin1')
      held = held.subarray(at < 0 ? end : end + 2)
      return line
    },
    async bytes(length: number): Promise<Buffer> {
      while (held.length < length) if (!(await more())) throw new StorageError(400, 'IncompleteBody')
      const bytes = held.subarray(0, length)
      held = held.subarray(length)
      return bytes
    },
  }
}
