/** A part of a file: first and last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Reads a `Range` header for a file of a size (RFC 9110, 14). Undefined asks for all of it: no header, another unit, several
 * ranges, or nothing that can be understood. `unsatisfiable` lies behind the end.
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
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
