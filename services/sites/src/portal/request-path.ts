/** Path of a request as rules compare it. */
export interface RequestPath {
  /** Decoded. */
  readonly path: string
  /**
   * True when servers read such a path in different ways: with dot segments, empty segments, encoded separators, parameters,
   * or bytes that are no text. No rule may be sure to match it, or to miss it.
   */
  readonly isAmbiguous: boolean
  /** The path as the most careless server compares it. */
  readonly folded: () => string
}

/** Longest path that is decided about, letters. */
export const maxPath = 8192

/** Returns the path of a request target, as the client sent it. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** Reads the path of a request target, which may have a query. */
export function readRequestPath(target: string): RequestPath {
  const raw = pathOf(target)
  const decoded = decode(raw)
  if (decoded === undefined) return { path: raw, isAmbiguous: true, folded: foldOnce(raw) }
  const isPlain =
    raw.startsWith('/') &&
    // An encoded percent sign could be decoded twice, and nobody has to encode letters, digits and - . _ ~.
    !/%(?:2[35def]|3[0-9bf]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/i.test(raw) &&
    !/\/\/|[\\;#?]|\p{C}/u.test(decoded) &&
    !decoded.split('/').some((segment) => segment === '.' || segment === '..')
  return { path: decoded, isAmbiguous: !isPlain, folded: foldOnce(decoded) }
}

/** Folds letters that some file system or framework takes for the same, and leaves slashes at the end out. */
export function foldPath(path: string): string {
  const folded = path.normalize('NFKC').toUpperCase().toLowerCase()
  let end = folded.length
  while (folded[end - 1] === '/') end -= 1
  return folded.slice(0, end)
}

/** Many rules may compare one path, and folding can make it 18 times as long. */
function foldOnce(path: string): () => string {
  let folded: string | undefined
  return () => (folded ??= foldPath(path))
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}
