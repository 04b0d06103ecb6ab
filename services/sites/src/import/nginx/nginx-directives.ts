/** A directive of nginx with its words, and with the directives of its block where it has one. */
export interface Directive {
  readonly name: string
  readonly words: readonly string[]
  readonly block?: readonly Directive[]
  /** Number of its first line, from 1. */
  readonly line: number
}

/** A text that is no configuration of nginx; the message says why, with the line. */
export class NginxUnreadable extends Error {
  override readonly name = 'NginxUnreadable'

  constructor(line: number, what: string) {
    super(`is no configuration of nginx: line ${line}: ${what}`)
  }
}

/** Largest file, characters. */
export const maxNginxFile = 524_288
const maxDepth = 20

interface Token {
  readonly text: string
  readonly line: number
  /** True for `{`, `}` and `;`. */
  readonly isSign: boolean
}

/** Reads the directives of a text. Throws `NginxUnreadable`. */
export function readDirectives(text: string): Directive[] {
  const tokens = tokensOf(text)
  const { directives, next } = readBlock(tokens, 0, 0)
  const extra = tokens[next]
  if (extra !== undefined) throw new NginxUnreadable(extra.line, '} without {')
  return directives
}

function readBlock(tokens: readonly Token[], from: number, depth: number): { directives: Directive[]; next: number } {
  if (depth > maxDepth) throw new NginxUnreadable(tokens[from]?.line ?? 0, 'blocks are nested too deeply')
  const directives: Directive[] = []
  let words: Token[] = []
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === undefined) break
    if (!token.isSign) {
      words.push(token)
      continue
    }
    if (token.text === '}') {
      if (words[0] !== undefined) throw new NginxUnreadable(words[0].line, 'a directive without ;')
      return { directives, next: at }
    }
    const [name, ...rest] = words
    words = []
    if (name === undefined) {
      if (token.text === ';') continue
      throw new NginxUnreadable(token.line, '{ without a directive')
    }
    const directive = { name: name.text, words: rest.map(({ text }) => text), line: name.line }
    if (token.text === ';') {
      directives.push(directive)
      continue
    }
    const inner = readBlock(tokens, at + 1, depth + 1)
    if (tokens[inner.next]?.text !== '}') throw new NginxUnreadable(token.line, '{ without }')
    directives.push({ ...directive, block: inner.directives })
    at = inner.next
  }
  if (words[0] !== undefined) throw new NginxUnreadable(words[0].line, 'a directive without ;')
  return { directives, next: tokens.length }
}

const tokenRule =
  /(#[^\n]*)|([{};])|"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|((?:[^\s{};"'\\]|\\[^]|\$\{\w+\})(?:[^\s{};\\]|\\[^]|(?<=\$)\{\w+\})*)|(\n)|([^\S\n]+)/y

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const rule = new RegExp(tokenRule)
  let line = 1
  while (rule.lastIndex < text.length) {
    const found = rule.exec(text)
    if (found === null) throw new NginxUnreadable(line, 'a quotation mark that is not closed')
    const [whole, comment, sign, double, single, word] = found
    if (sign !== undefined) tokens.push({ text: sign, line, isSign: true })
    else if (comment === undefined && (double ?? single ?? word) !== undefined)
      tokens.push({ text: (double ?? single ?? word ?? '').replaceAll(/\\(["'\\])/g, '$1'), line, isSign: false })
    line += whole.split('\n').length - 1
  }
  return tokens
}
