import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, onSendAsyncHookHandler } from 'fastify'

/** Content codings the server can send, the smaller one first. */
const codings = ['br', 'gzip'] as const

type Coding = (typeof codings)[number]

export type ContentEncoding = Coding | 'identity'

/** Smallest text worth compressing, bytes: anything shorter travels in one packet as it is. */
const worthwhile = 1024

/**
 * Chooses the content coding for an Accept-Encoding header (RFC 9110, section 12.5.3): the one with the highest weight, brotli
 * before gzip at equal weights, and `identity` when neither is acceptable or the client prefers it.
 */
export function chooseEncoding(header: string | readonly string[] | undefined): ContentEncoding {
  const weights = readWeights(typeof header === 'string' ? header : (header ?? []).join(','))
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = codings.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best === undefined || (weights.get('identity') ?? 0) > weightOf(best) ? 'identity' : best
}

/** Weight of each coding by its name in lower case; a weight that cannot be read counts as 0. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    if (coding === '') continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    weights.set(
      coding === 'x-gzip' ? 'gzip' : coding,
      /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? +weight : 0,
    )
  }
  return weights
}

/**
 * Compresses a generated text as the request accepts it, and sets Content-Encoding and Vary. Only for texts without secrets:
 * next to text of an attacker the compressed length would reveal them.
 */
export function encodeText(reply: FastifyReply, text: string, compress = compressText): string | Buffer {
  reply.header('vary', 'accept-encoding')
  const encoding = chooseEncoding(reply.request.headers['accept-encoding'])
  if (encoding === 'identity' || Buffer.byteLength(text) < worthwhile) return text
  reply.header('content-encoding', encoding)
  return compress(text, encoding)
}

function compressText(text: string, coding: Coding): Buffer {
  // Quality 5 takes a tenth of a millisecond for a page and is smaller than gzip.
  return coding === 'gzip'
    ? gzipSync(text)
    : brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
}

/** Makes the hook that compresses the answers of one route, each text once as long as it does not change. */
export function compressingHook(): onSendAsyncHookHandler {
  const made = new Map<Coding, { readonly text: string; readonly compressed: Buffer }>()
  const compressOnce = (text: string, coding: Coding): Buffer => {
    const last = made.get(coding)
    if (last?.text === text) return last.compressed
    const compressed = compressText(text, coding)
    made.set(coding, { text, compressed })
    return compressed
  }
  return async (_request, reply, payload) => {
    const isText = typeof payload === 'string' && reply.statusCode === 200
    return isText ? encodeText(reply, payload, compressOnce) : payload
  }
}
