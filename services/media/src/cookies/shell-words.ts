import { CookieError } from './cookie.ts'

/** One piece of a command line: blanks, a quoted text of each kind, an escaped character, plain text. */
const pieceGrammar =
  /(?<blank>\s+)|(?<joined>\\\r?\n)|'(?<single>[^']*)'|\$'(?<ansi>(?:[^'\\]|\\[\s\S])*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\$]+|\$)/

/**
 * Splits a command line as bash reads it, without substituting anything. What browsers write for the Windows command line,
 * with carets in front of special characters, is understood too. Throws a `CookieError` when a quote is not closed.
 */
export function splitCommandLine(text: string): string[] {
  const line = /\^["\r\n]/.test(text) ? text.replaceAll(/\^\r?\n/g, ' ').replaceAll(/\^([\s\S])/g, '$1') : text
  const words: string[] = []
  let word: string | undefined
  const piece = new RegExp(pieceGrammar, 'y')
  for (let at = 0; at < line.length; at = piece.lastIndex) {
    piece.lastIndex = at
    const groups = piece.exec(line)?.groups
    if (groups === undefined) throw new CookieError('unreadable', 'the command has a quote that is not closed')
    if (groups['joined'] !== undefined) continue
    if (groups['blank'] === undefined) {
      word = (word ?? '') + contentOf(groups)
      continue
    }
    if (word !== undefined) words.push(word)
    word = undefined
  }
  return word === undefined ? words : [...words, word]
}

function contentOf({ single, ansi, double, escaped, plain }: Record<string, string | undefined>): string {
  if (ansi !== undefined) return unescapeAnsi(ansi)
  if (double !== undefined) return double.replaceAll(/\\(["\\$`])/g, '$1').replaceAll(/\\\r?\n/g, '')
  return single ?? escaped ?? plain ?? ''
}

const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\u0007', b: '\b', f: '\f', v: '\v' }

const escape = /\\(?<code>x[\dA-Fa-f]{1,2}|u[\dA-Fa-f]{1,4}|[0-7]{1,3}|[\s\S])/g

function unescapeAnsi(text: string): string {
  return text.replaceAll(escape, (_, code: string) => {
    if (/^[xu]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 255) : (named[code] ?? code)
  })
}
