/** A word of a Caddyfile. */
export interface CaddyfileToken {
  readonly text: string
  /** From 1. */
  readonly line: number
  /** True for the first word of a line. */
  readonly isFirst: boolean
  /** Start and end in the text, with its quotes. */
  readonly start: number
  readonly end: number
}

/**
 * Splits a Caddyfile into words, as Caddy does: blanks part them, `"` and a backtick hold them together, `#` starts a comment, a
 * backslash carries on a line. From version 2.7 on there are also texts of several lines (`<<END`); the same text can so mean two
 * things, and what looks for danger has to look at both.
 */
export function caddyfileTokens(text: string, options: { readonly hasHeredocs: boolean }): CaddyfileToken[] {
  const lexer = new Lexer(text, options.hasHeredocs)
  return lexer.all()
}

class Lexer {
  readonly #text: string
  readonly #hasHeredocs: boolean
  #at = 0
  #line = 1
  #isFirst = true

  constructor(text: string, hasHeredocs: boolean) {
    this.#text = text
    this.#hasHeredocs = hasHeredocs
  }

  all(): CaddyfileToken[] {
    const tokens: CaddyfileToken[] = []
    for (let token = this.#next(); token !== undefined; token = this.#next()) tokens.push(token)
    return tokens
  }

  #next(): CaddyfileToken | undefined {
    this.#skipBlanks()
    if (this.#at >= this.#text.length) return undefined
    const [start, line, isFirst] = [this.#at, this.#line, this.#isFirst]
    this.#isFirst = false
    const first = this.#text[this.#at]
    const word = first === '"' || first === '`' ? this.#quoted(first) : this.#bare()
    return { text: word, line, isFirst, start, end: this.#at }
  }

  #skipBlanks(): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? ''
      if (char === '\n') this.#newLine()
      else if (char === '\\' && this.#text[this.#at + 1] === '\n') this.#carryOn()
      else if (char === '#') this.#at = this.#endOfLine() - 1
      else if (!/\s/.test(char)) return
    }
  }

  #newLine(): void {
    this.#line += 1
    this.#isFirst = true
  }

  #carryOn(): void {
    this.#at = this.#text.indexOf('\n', this.#at)
    this.#line += 1
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at)
    return end === -1 ? this.#text.length : end
  }

  #quoted(quote: string): string {
    let word = ''
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? ''
      if (char === quote) break
      if (char === '\n') this.#line += 1
      const isEscape = quote === '"' && char === '\\' && this.#at + 1 < this.#text.length
      if (isEscape) this.#at += 1
      const next = this.#text[this.#at] ?? ''
      if (isEscape && next === '\n') this.#line += 1
      word += isEscape && next !== '"' ? `\\${next}` : next
    }
    this.#at = Math.min(this.#at + 1, this.#text.length)
    return word
  }

  #bare(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
    const word = this.#text.slice(start, this.#at)
    const marker = this.#hasHeredocs ? /^<<([A-Za-z0-9_-]+)$/.exec(word)?.[1] : undefined
    return marker === undefined ? word : this.#heredoc(marker)
  }

  /** All until a line that starts with the marker. Without one all is one text. */
  #heredoc(marker: string): string {
    const start = this.#endOfLine() + 1
    const closing = new RegExp(String.raw`^[\t ]*${marker}(?=\s|$)`, 'm').exec(this.#text.slice(start))
    const end = closing === null ? this.#text.length : start + closing.index + closing[0].length
    const body = this.#text.slice(start, closing === null ? end : start + closing.index)
    this.#line += body.split('\n').length
    this.#at = end
    return body
  }
}
