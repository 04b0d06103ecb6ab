import { deepestGroup, type Expression } from './expression-tree.ts'
import { endSymbol, otherSymbol, startSymbol, symbolOf } from './name-symbols.ts'

/** The expression cannot be matched here; the message is the reason. */
export class ExpressionUnsupported extends Error {
  override readonly name = 'ExpressionUnsupported'
}

const byte = (letter: string): number => {
  const code = letter.toLowerCase().charCodeAt(0)
  return code < 128 ? symbolOf[code]! : otherSymbol
}
/** Every symbol of a name: what `.` means. */
const any = new Set(Array.from({ length: otherSymbol + 1 }, (_, symbol) => symbol))
const setOf = (letters: string): ReadonlySet<number> => new Set(Array.from(letters, byte))
const without = (set: ReadonlySet<number>): ReadonlySet<number> => any.difference(set)

const digits = setOf('0123456789')
const wordLetters = setOf('abcdefghijklmnopqrstuvwxyz0123456789_')
const nothing: ReadonlySet<number> = new Set()
const classes: Readonly<Record<string, ReadonlySet<number>>> = {
  d: digits,
  D: without(digits),
  w: wordLetters,
  W: without(wordLetters),
  s: nothing,
  S: any,
}

/**
 * Parses the part of regular expressions that can be matched in linear time: letters, `.`, classes, `*`, `+`, `?`, `{m,n}`, `|`,
 * groups, `^` and `$`. Letters count without case, as Adblock has it. Throws `ExpressionUnsupported` for all else.
 */
export function parseExpression(source: string): Expression {
  const parser = new Parser(source)
  return parser.parse()
}

class Parser {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): Expression {
    const tree = this.#choice()
    if (this.#at < this.#source.length) throw new ExpressionUnsupported('unreadable expression')
    return tree
  }

  get #next(): string {
    return this.#source[this.#at] ?? ''
  }

  #skip(text: string): boolean {
    if (text === '' || !this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #choice(): Expression {
    const parts = [this.#sequence()]
    while (this.#skip('|')) parts.push(this.#sequence())
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  #sequence(): Expression {
    const parts: Expression[] = []
    while (this.#next !== '' && this.#next !== '|' && this.#next !== ')') parts.push(this.#repeated())
    return { kind: 'sequence', parts }
  }

  #repeated(): Expression {
    const isAnchor = this.#next === '^' || this.#next === '$'
    let part = this.#single()
    for (let times = 0; ; times++) {
      const bounds = this.#bounds()
      if (bounds === undefined) return part
      if (isAnchor || times > 0) throw new ExpressionUnsupported('unreadable expression')
      this.#skip('?')
      part = { kind: 'repeat', part, ...bounds }
    }
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#skip('*')) return { least: 0, most: Infinity }
    if (this.#skip('+')) return { least: 1, most: Infinity }
    if (this.#skip('?')) return { least: 0, most: 1 }
    if (this.#next !== '{') return undefined
    const [text, least = '', comma, most = ''] = /^\{(\d{1,4})(,)?(\d{1,4})?\}/.exec(this.#source.slice(this.#at)) ?? []
    if (text === undefined) throw new ExpressionUnsupported('unreadable expression')
    this.#at += text.length
    const bounds = {
      least: Number(least),
      most: comma === undefined ? Number(least) : most === '' ? Infinity : Number(most),
    }
    if (bounds.most < bounds.least) throw new ExpressionUnsupported('unreadable expression')
    return bounds
  }

  #single(): Expression {
    if (this.#skip('(')) return this.#group()
    if (this.#skip('[')) return { kind: 'set', symbols: this.#class() }
    if (this.#skip('\\')) return { kind: 'set', symbols: this.#escape() }
    const letter = this.#next
    this.#at++
    switch (letter) {
      case '.':
        return { kind: 'set', symbols: any }
      case '^':
        return { kind: 'set', symbols: new Set([startSymbol]) }
      case '$':
        return { kind: 'set', symbols: new Set([endSymbol]) }
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        throw new ExpressionUnsupported('unreadable expression')
      default:
        return { kind: 'set', symbols: literal(letter) }
    }
  }

  #group(): Expression {
    if (this.#next === '?' && !this.#skip('?:')) throw new ExpressionUnsupported('look-around or named group')
    if (++this.#depth > deepestGroup) throw new ExpressionUnsupported('expression too large')
    const tree = this.#choice()
    if (!this.#skip(')')) throw new ExpressionUnsupported('unreadable expression')
    this.#depth--
    return tree
  }

  #escape(): ReadonlySet<number> {
    const letter = this.#next
    this.#at++
    const known = classes[letter]
    if (known !== undefined) return known
    if (/^[1-9k]$/.test(letter)) throw new ExpressionUnsupported('back-reference')
    if (letter === '' || /^[a-z0-9]$/i.test(letter)) throw new ExpressionUnsupported('unknown escape')
    return literal(letter)
  }

  #class(): ReadonlySet<number> {
    const isNegated = this.#skip('^')
    const found = new Set<number>()
    while (!this.#skip(']')) {
      if (this.#next === '' || this.#source.startsWith('[:', this.#at))
        throw new ExpressionUnsupported('unreadable class')
      const from = this.#classItem()
      const isRange = this.#next === '-' && this.#source[this.#at + 1] !== ']'
      if (isRange) this.#at++
      for (const symbol of isRange ? range(from, this.#classItem()) : from.symbols) found.add(symbol)
    }
    return isNegated ? without(found) : found
  }

  #classItem(): { letter: string; symbols: ReadonlySet<number> } {
    if (this.#skip('\\')) {
      const letter = this.#next
      return { letter: classes[letter] === undefined ? letter : '', symbols: this.#escape() }
    }
    const letter = this.#next
    if (letter === '') throw new ExpressionUnsupported('unreadable class')
    this.#at++
    return { letter, symbols: literal(letter) }
  }
}

/** A letter that is in no host name fits nowhere. */
function literal(letter: string): ReadonlySet<number> {
  const symbol = byte(letter)
  return symbol === otherSymbol ? nothing : new Set([symbol])
}

function range(from: { letter: string }, to: { letter: string }): Set<number> {
  const [first, last] = [from.letter.codePointAt(0) ?? 1, to.letter.codePointAt(0) ?? 0]
  if (first > last) throw new ExpressionUnsupported('unreadable class')
  const symbols = new Set<number>()
  for (let code = first; code <= Math.min(last, 127); code++)
    for (const symbol of literal(String.fromCharCode(code))) symbols.add(symbol)
  return symbols
}
