import { Readable } from 'node:stream'
import type { Content } from '@hearth/http'
import type { ArtifactRange, ArtifactStore } from '../artifacts/artifact-store.ts'
import { notFound, Problem } from '../problems.ts'

/** The members of a call that a delivery needs. */
export interface DeliveryCall {
  /** A HEAD request: the content is not opened. */
  readonly isHead?: boolean
  readonly header: (name: string) => string | undefined
  readonly answer: { header(name: string, value: string): void }
}

/** A stored file to deliver, and the name to save it under. */
export interface Delivery {
  readonly artifacts: ArtifactStore
  readonly jobId: string
  readonly name: string
  /** Saved under this name; shown in place when left out. */
  readonly fileName?: string
}

const types: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  jpg: 'image/jpeg',
  png: 'image/png',
}

/** The media type of a stored file, by its ending, which is ours. */
export const mediaTypeOf = (name: string): string =>
  types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** Delivers a stored file, or the requested range of it. A page made of it runs no scripts. */
export async function deliver(call: DeliveryCall, { artifacts, jobId, name, fileName }: Delivery): Promise<Content> {
  const facts = await artifacts.stat(jobId, name)
  if (facts === undefined) throw notFound('file')
  const etag = `"${facts.tag}"`
  call.answer.header('accept-ranges', 'bytes')
  call.answer.header('etag', etag)
  call.answer.header('cache-control', 'private, no-cache')
  call.answer.header('content-security-policy', "default-src 'none'; sandbox")
  call.answer.header('content-type', mediaTypeOf(name))
  if (call.header('if-none-match') === etag) return { content: '', status: 304 }
  const isSame = [undefined, etag].includes(call.header('if-range'))
  const range = isSame ? readByteRange(call.header('range'), facts.size) : undefined
  if (range === 'unsatisfiable')
    throw new Problem(416, 'The range lies behind the end of the file', {
      headers: { 'content-range': `bytes */${facts.size}` },
    })
  const content = call.isHead === true ? Readable.from([]) : await artifacts.open(jobId, name, range)
  if (content === undefined) throw notFound('file')
  const length = range === undefined ? facts.size : range.last - range.first + 1
  call.answer.header('content-length', String(length))
  if (range !== undefined) call.answer.header('content-range', `bytes ${range.first}-${range.last}/${facts.size}`)
  return {
    content,
    ...(fileName === undefined ? {} : { fileName }),
    ...(range === undefined ? {} : { status: 206 }),
  }
}

/**
 * Reads a `Range` header for a file of a size (RFC 9110, 14). Undefined asks for all of it: no header, another unit, several
 * ranges, or nothing that can be understood. `unsatisfiable` lies behind the end.
 */
function readByteRange(header: string | undefined, size: number): ArtifactRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(size, Number(to))
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(size - 1, Number(to))
  if (to !== '' && Number(to) < first) return undefined
  return first >= size ? 'unsatisfiable' : { first, last }
}
