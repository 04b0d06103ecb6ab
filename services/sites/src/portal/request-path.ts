/** Path of a request as rules compare it. */
export interface RequestPath {
  /** Decoded. */
  readonly path: string
  /**
   * True when servers read such a path in different ways: with dot segments, empty segments, encoded separators, parameters,
   * or bytes that are no text. No rule may be sure to match it, or to miss it.
   */
  readonly isAmbiguous: boolean
}

/** Reads the path of a request target, which may have a query. */
export function readRequestPath(target: string): RequestPath {
  const [raw = ''] = target.split('?', 1)
  const decoded = decode(raw)
  if (decoded === undefined) return { path: raw, isAmbiguous: true }
  const isPlain =
    raw.startsWith('/') &&
    // An encoded percent sign could be decoded twice, and nobody has to encode letters, digits and - . _ ~.
    !/%(?:2[35def]|3[0-9bf]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/i.test(raw) &&
    !/\/\/|[\\;#?]|\p{C}/u.test(decoded) &&
    !decoded.split('/').some((segment) => segment === '.' || segment === '..')
  return { path: decoded, isAmbiguous: !isPlain }
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}
