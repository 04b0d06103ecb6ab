import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundFailed } from './outbound-error.ts'

/** Limits for reading a body. */
export interface BodyLimits {
  /** For the error. */
  readonly host: string
  /** The `Content-Encoding` of the answer. */
  readonly encoding: string | undefined
  /** Bytes, before and after decompression alike: a compressed stream may expand to very little. */
  readonly maxBytes: number
}

/**
 * The body decompressed, piece by piece. Fails with `OutboundFailed`: `too-large` beyond the limit, `unreadable-answer` when
 * it is not what its encoding says.
 */
export async function* readBody(source: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const decoder = decoderOf(limits)
  if (decoder === undefined) {
    yield* within(source, limits)
    return
  }
  let sourceError: unknown
  source.once('error', (error) => (sourceError = error))
  pipeline(Readable.from(within(source, limits)), decoder, () => undefined)
  try {
    yield* within(decoder, limits)
  } catch (cause) {
    if (cause instanceof OutboundFailed || cause === sourceError) throw cause
    throw new OutboundFailed('unreadable-answer', limits.host, { cause })
  } finally {
    decoder.destroy()
    source.destroy()
  }
}

function decoderOf({ encoding, host }: BodyLimits): Transform | undefined {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new OutboundFailed('unreadable-answer', host)
  }
}

async function* within(source: Readable, { host, maxBytes }: BodyLimits): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    total += chunk.length
    if (total > maxBytes) throw new OutboundFailed('too-large', host)
    yield chunk
  }
}
