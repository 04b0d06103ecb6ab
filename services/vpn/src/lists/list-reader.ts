import { Cover, type CoverCode, type ListFormat, type Rule } from './formats/rule.ts'
import { readLine } from './formats/read-line.ts'
import type { LineCount } from './line-count.ts'
import { maxNameLength, type NameHasher } from './name-hasher.ts'

/** Bounds of a list; beyond them, lines are left out and counted. */
export const listBounds = {
  /** Bytes of a list's text. */
  bytes: 25 * 1024 * 1024,
  lines: 2_000_000,
  lineBytes: 16 * 1024,
  /** Names and patterns of one list. */
  entries: 3_000_000,
  /** Of all lists together: 128 MiB of table. */
  allEntries: 12_000_000,
} as const

/** Receiver of the lines of one list. */
export interface ListSink {
  /** The name the hasher read last. */
  name(cover: CoverCode, isException: boolean, isImportant: boolean): void
  /** A rule with modifiers, or about an address. Why it is not taken; undefined when it is. */
  conditional(rule: ConditionalLine, text: string): string | undefined
  /** Returns the reason why it is not taken; undefined when it is. */
  pattern(rule: Extract<Rule, { kind: 'pattern' }>): string | undefined
  /** Returns true if a `$badfilter` takes the rule with this key away. */
  isCancelled(key: () => string): boolean
}

/** A line that says something of names or addresses. */
export type ConditionalLine = Extract<Rule, { kind: 'names' | 'pattern' | 'address' }>

/** Characters of a rule's text that are kept for display. */
const maxRuleText = 300

const [tab, newline, carriageReturn, blank, star, zero, one, at, bar, caret] = [9, 10, 13, 32, 42, 48, 49, 64, 124, 94]
const [bang, hash, hyphen, bracket] = [33, 35, 45, 91]

/** Beginnings of nearly all hosts lines. */
const nowhere = ['0.0.0.0', '127.0.0.1'].map((text) => new TextEncoder().encode(text))

/** "localhost.localdomain" is no name to block, and this long. */
const localdomainLength = 21

const encoder = new TextEncoder()

/** Reads one list's text: the usual lines as bytes, the odd ones as strings. */
export class ListReader {
  readonly #text: Uint8Array
  readonly #format: ListFormat
  readonly #hasher: NameHasher
  readonly #sink: ListSink
  readonly #count: LineCount
  /** Bare names are about those below them, too. */
  readonly #bareCover: CoverCode
  readonly #scratch = new Uint8Array(maxNameLength)
  readonly #decoder = new TextDecoder()

  constructor(
    text: Uint8Array,
    format: ListFormat,
    dependencies: { hasher: NameHasher; sink: ListSink; count: LineCount },
  ) {
    this.#text = text
    this.#format = format
    this.#hasher = dependencies.hasher
    this.#sink = dependencies.sink
    this.#count = dependencies.count
    this.#bareCover = format === 'domains' || format === 'wildcard' ? Cover.both : Cover.itself
  }

  /** Reads all lines. A last line without an end counts, nothing after the last end does not. */
  readAll(): void {
    const text = this.#text
    const hasMark = text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf
    for (let start = hasMark ? 3 : 0; start < text.length;) {
      let end = start
      while (end < text.length && text[end] !== newline) end++
      this.#count.lines++
      this.#readTrimmed(start, end)
      start = end + 1
    }
  }

  #readTrimmed(from: number, to: number): void {
    const text = this.#text
    let start = from
    let end = to
    while (end > start && isBlank(text[end - 1]!)) end--
    while (start < end && isBlank(text[start]!)) start++
    const count = this.#count
    if (start === end) count.comments++
    else if (count.lines > listBounds.lines) this.#refuse('too many lines', start, end)
    else if (end - start > listBounds.lineBytes) this.#refuse('line too long', start, end)
    else if (count.entries >= listBounds.entries) this.#refuse('too many entries', start, end)
    else if (!this.#readUsual(start, end)) this.#readOdd(start, end)
  }

  /** The five forms most lines of most lists have. False when it is none of them. */
  #readUsual(start: number, end: number): boolean {
    const text = this.#text
    const first = text[start]!
    if (first === bang || (first === hash && isPlainComment(text[start + 1]))) {
      this.#count.comments++
      return true
    }
    if (first === bracket) return false
    if (first === bar || first === at) return this.#readAnchored(start, end)
    if (first === star) return text[start + 1] === 46 && this.#take(start, start + 2, end, Cover.below, false)
    if (first === zero || first === one) {
      const name = afterNowhere(text, start, end)
      if (name > 0) return this.#take(start, name, end, Cover.itself, false)
    }
    const isPart = this.#format === 'adblock' && (first === hyphen || text[end - 1] === hyphen)
    return !isPart && this.#take(start, start, end, this.#bareCover, false)
  }

  /** `||name^` and `@@||name^`. */
  #readAnchored(start: number, end: number): boolean {
    const text = this.#text
    const isException = text[start] === at
    const bars = isException ? start + 2 : start
    if (isException && text[start + 1] !== at) return false
    if (text[bars] !== bar || text[bars + 1] !== bar || text[end - 1] !== caret) return false
    return this.#take(start, bars + 2, end - 1, Cover.both, isException)
  }

  #take(line: number, start: number, end: number, cover: CoverCode, isException: boolean): boolean {
    const hasher = this.#hasher
    if (!hasher.read(this.#text, start, end)) return false
    const mayBeShort = this.#text[line] === bar || this.#text[line] === at
    if ((hasher.labels < 2 && !mayBeShort) || (cover === Cover.itself && end - start === localdomainLength))
      return false
    if (this.#sink.isCancelled(() => this.#textOf(line, start, end).toLowerCase())) {
      this.#refuse('cancelled by $badfilter', line, end)
      return true
    }
    this.#sink.name(cover, isException, false)
    this.#count.accepted++
    return true
  }

  /** The whole line that ends with this name. */
  #textOf(line: number, start: number, end: number): string {
    const isAnchored = this.#text[start - 1] === bar
    return this.#decode(line, isAnchored ? end + 1 : end)
  }

  #readOdd(start: number, end: number): void {
    const rule = readLine(this.#decode(start, end), this.#format)
    if (rule.kind === 'comment') this.#count.comments++
    else if (rule.kind === 'unsupported') this.#refuse(rule.reason, start, end)
    else if (rule.kind === 'cancel') this.#count.accepted++
    else if (this.#sink.isCancelled(() => rule.key)) this.#refuse('cancelled by $badfilter', start, end)
    else this.#settle(this.#takeRule(rule, start, end), start, end)
  }

  #takeRule(rule: ConditionalLine, start: number, end: number): string | undefined {
    if (rule.kind === 'address' || rule.conditions !== undefined) return this.#takeConditional(rule, start, end)
    return rule.kind === 'pattern' ? this.#sink.pattern(rule) : this.#takeNames(rule)
  }

  #takeConditional(rule: ConditionalLine, start: number, end: number): string | undefined {
    if (rule.kind === 'names') {
      const { written } = encoder.encodeInto(rule.names[0] ?? '', this.#scratch)
      if (!this.#hasher.read(this.#scratch, 0, written)) return 'not a domain name'
    }
    return this.#sink.conditional(rule, this.#decode(start, Math.min(end, start + maxRuleText)))
  }

  #settle(reason: string | undefined, start: number, end: number): void {
    if (reason === undefined) this.#count.accepted++
    else this.#refuse(reason, start, end)
  }

  #takeNames({ names, cover, weight }: Extract<Rule, { kind: 'names' }>): string | undefined {
    for (const name of names) {
      const { written } = encoder.encodeInto(name, this.#scratch)
      if (!this.#hasher.read(this.#scratch, 0, written)) return 'not a domain name'
      this.#sink.name(cover, weight.isException, weight.isImportant)
    }
    return undefined
  }

  #refuse(reason: string, start: number, end: number): void {
    this.#count.refuse(reason, this.#decode(start, Math.min(end, start + 200)))
  }

  #decode(start: number, end: number): string {
    return this.#decoder.decode(this.#text.subarray(start, end))
  }
}

const isBlank = (byte: number): boolean => byte === blank || byte === tab || byte === carriageReturn

/** `#` with something after it that cannot make it a cosmetic rule. */
const isPlainComment = (next: number | undefined): boolean =>
  next === undefined || isBlank(next) || next === 45 || next === 61 || (next > 64 && next < 123)

/** Returns where the name of a hosts line begins; 0 when it is none, or not of the usual kind. */
function afterNowhere(text: Uint8Array, start: number, end: number): number {
  for (const address of nowhere) {
    let k = 0
    while (k < address.length && text[start + k] === address[k]) k++
    if (k < address.length || !isBlank(text[start + k]!)) continue
    let name = start + k
    while (name < end && isBlank(text[name]!)) name++
    return name
  }
  return 0
}
