import { caddyfileTokens, type CaddyfileToken } from './caddyfile-tokens.ts'

/** Something in a Caddyfile that keeps it from being given to Caddy. */
export interface Danger {
  readonly line: number
  readonly what: string
}

/** Maximum number reported of one kind. */
const maxDangers = 100
const snippetName = /^[A-Za-z0-9_-]{1,64}$/
/** Everything that could be the word `import` in any way to split the text, and the word after it. */
const imports = /(?<![^\s"`\\{}])import(?![^\s"`\\{}])[\s"`\\]*([^\s"`\\]*)/g
const values = /\{\s*(?:\$|(?:env|file|system)\b)/gi
/** Directives that make Caddy open a file while it only reads the text. */
const fileReaders = /trusted_ca_cert_file|trusted_leaf_cert_file/g
// eslint-disable-next-line no-control-regex
const oddCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g
/** No quotes in it, so no text of several lines can end there. */
const comment = /^[\t ]*#[^"`]*$/

/**
 * Directives that make Caddy read files or the environment of its server, while it adapts the text or when it serves: its errors repeat
 * what they read. It goes by the characters and not by Caddy's way to split them into words, of which there are two. Snippets of
 * the same text are harmless. The text has no carriage returns.
 */
export function caddyfileDangers(text: string): Danger[] {
  const known = snippetsOf(text)
  const find = (pattern: RegExp, what: (match: RegExpExecArray) => string | undefined): Danger[] => {
    const found: Danger[] = []
    for (const match of text.matchAll(pattern)) {
      const problem = what(match)
      if (problem === undefined) continue
      found.push({ line: text.slice(0, match.index).split('\n').length, what: problem })
      if (found.length >= maxDangers) break
    }
    return found
  }
  const found = [
    ...find(oddCharacters, () => 'a character that cannot be seen'),
    ...find(values, ([start]) => `a value of the server (${start}…}); write what it stands for`),
    ...find(fileReaders, ([name]) => `${name}, which reads a file of the server`),
    ...find(imports, ({ 1: name = '', index }) => {
      if (known.has(name) || comment.test(lineAround(text, index))) return undefined
      return 'an import of something that is no snippet of this text; put its lines there'
    }),
  ]
  return found.sort((one, other) => one.line - other.line)
}

function lineAround(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return text.slice(text.lastIndexOf('\n', index) + 1, end === -1 ? text.length : end)
}

/** Names of snippets that are defined in whichever way the text is split into words. */
function snippetsOf(text: string): Set<string> {
  const [older, newer] = [false, true].map((hasHeredocs) => {
    const names = new Set<string>()
    forEachBlock(caddyfileTokens(text, { hasHeredocs }), ({ header }) => {
      const name = header.length === 1 ? /^\((.+)\)$/.exec(header[0]?.text ?? '')?.[1] : undefined
      if (name !== undefined && snippetName.test(name)) names.add(name)
    })
    return names
  })
  return new Set([...(older ?? [])].filter((name) => newer?.has(name)))
}

/** A block of the outermost level: what stands before its braces, and the braces themselves. */
export interface CaddyfileBlock {
  readonly header: readonly CaddyfileToken[]
  readonly open: CaddyfileToken
  readonly close: CaddyfileToken
}

/** Calls back for every block of the outermost level. */
export function forEachBlock(tokens: readonly CaddyfileToken[], call: (block: CaddyfileBlock) => void): void {
  let depth = 0
  let header: CaddyfileToken[] = []
  let open: CaddyfileToken | undefined
  tokens.forEach((token, index) => {
    const opens = token.text === '{' && (tokens[index + 1]?.isFirst ?? true)
    if (opens) {
      if (depth === 0) open = token
      depth += 1
    } else if (token.text === '}' && depth > 0) {
      depth -= 1
      if (depth > 0) return
      if (open !== undefined) call({ header, open, close: token })
      header = []
    } else if (depth === 0) header.push(token)
  })
}
