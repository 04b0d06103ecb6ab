import { buildAutomaton, type Automaton } from './expression-automaton.ts'
import { fixedParts } from './fixed-parts.ts'
import { endByte, startByte } from './name-symbols.ts'
import { ExpressionUnsupported, parseExpression } from './parse-expression.ts'
import { layPatterns } from './lay-patterns.ts'
import { patternSet, patternSets, PatternStart } from './pattern-layout.ts'

/** A pattern ready to be laid out. */
export interface ReadyPattern {
  readonly text: string
  readonly start: number
  readonly end: boolean
  /** The texts between stars; empty for expressions. */
  readonly texts: readonly string[]
  readonly automaton: Automaton | undefined
  /** Sets of lists, see `patternSet`. */
  readonly sets: Int32Array
  /** Four bytes each, one of which is in every name the pattern matches; empty when there are none. */
  readonly fours: readonly number[]
}

/** Bounds of all patterns together, so that a name costs a bounded time whatever lists hold. */
export const patternBounds = {
  /** Words of the program. */
  words: 4_000_000,
  /** Patterns without a fixed part, which are tried on every name, and the places of their automatons. */
  always: 64,
  alwaysPlaces: 2048,
  /** Patterns with the same fixed part. */
  alike: 128,
} as const

/** Collects patterns and makes their program. */
export interface PatternProgram {
  /**
   * Adds a pattern in Adblock's words (`||ad*.example^`, `-ads.`, `|start`, `/expression/`), without modifiers. Returns why it
   * cannot be taken; undefined when it was.
   *
   * @param meaning one of `Meaning`'s first four, or `conditional`
   * @param list the list's number
   */
  add(text: string, meaning: number, list: number): string | undefined
  /** Returns true if this list said so before. */
  has(text: string, meaning: number, list: number): boolean
  /** The program; empty without patterns. */
  build(): Int32Array
}

/** Collects patterns and lays them out as a program. */
export function createPatternProgram(): PatternProgram {
  const room = new Room()
  const known = new Map<string, ReadyPattern>()

  function addNew(text: string): ReadyPattern | string {
    try {
      const { parts, ...pattern } = readPattern(text)
      const fours = room.rarestFours(parts)
      return room.take(pattern, fours) ?? { ...pattern, fours, sets: new Int32Array(patternSets) }
    } catch (error) {
      if (error instanceof ExpressionUnsupported) return error.message
      throw error
    }
  }

  return {
    add(text, meaning, list) {
      const pattern = known.get(text) ?? addNew(text)
      if (typeof pattern === 'string') return pattern
      known.set(text, pattern)
      pattern.sets[patternSet(meaning)]! |= 1 << list
      return undefined
    },
    has: (text, meaning, list) => ((known.get(text)?.sets[patternSet(meaning)] ?? 0) & (1 << list)) !== 0,
    build: () => layPatterns([...known.values()]),
  }
}

/** Remaining room within the bounds. */
class Room {
  /** Number of patterns with these four bytes. */
  readonly #uses = new Map<number, number>()
  #words = 0
  #always = 0
  #alwaysPlaces = 0

  /** Takes room for a pattern. Why there is none; undefined when there was. */
  take(
    { automaton, texts, text }: Pick<ReadyPattern, 'automaton' | 'texts' | 'text'>,
    fours: readonly number[],
  ): string | undefined {
    const words = (automaton?.words.length ?? 2 * texts.length) + 16 + text.length / 2
    if (this.#words + words > patternBounds.words) return 'too many patterns'
    const places = automaton === undefined ? 8 : automaton.width * 32
    const isAlways = fours.length === 0
    if (isAlways && (this.#always >= patternBounds.always || this.#alwaysPlaces + places > patternBounds.alwaysPlaces))
      return 'too many patterns without a fixed part'
    if (fours.some((four) => this.#usesOf(four) >= patternBounds.alike)) return 'too many patterns of one kind'
    for (const four of fours) this.#uses.set(four, this.#usesOf(four) + 1)
    this.#words += words
    this.#always += Number(isAlways)
    this.#alwaysPlaces += isAlways ? places : 0
    return undefined
  }

  #usesOf(four: number): number {
    return this.#uses.get(four) ?? 0
  }

  /** For each text the four bytes of it that the fewest patterns have so far; none when a text is shorter. */
  rarestFours(parts: readonly string[] | undefined): readonly number[] {
    if (parts === undefined || parts.some((part) => part.length < 4)) return []
    const fours = parts.map((part) => {
      let best = 0
      let fewest = Infinity
      for (let k = 0; k + 4 <= part.length; k++) {
        const four = fourAt(part, k)
        const count = this.#usesOf(four) + (common.has(four) ? 4 : 0)
        if (count < fewest) [best, fewest] = [four, count]
      }
      return best
    })
    return [...new Set(fours)]
  }
}

type Read = Omit<ReadyPattern, 'sets' | 'fours'> & {
  /** Texts of which every match contains one; undefined when there are none. */
  readonly parts: readonly string[] | undefined
}

function readPattern(text: string): Read {
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
    const tree = parseExpression(text.slice(1, -1))
    const automaton = buildAutomaton(tree)
    const parts = automaton.isAlways ? undefined : fixedParts(tree)
    const start = automaton.isAnchored ? PatternStart.name : PatternStart.anywhere
    return { text, start, end: false, texts: [], automaton, parts }
  }
  const bars = /^\|{0,2}/.exec(text)?.[0].length ?? 0
  const end = text.endsWith('^')
  const texts = text
    .slice(bars, end ? -1 : undefined)
    .split('*')
    .filter((part) => part !== '')
  const around = texts.map((part, k) => {
    const before = k === 0 && bars > 0 ? String.fromCharCode(startByte) : ''
    return before + part + (end && k === texts.length - 1 ? String.fromCharCode(endByte) : '')
  })
  const longest = around.reduce((best, part) => (part.length > best.length ? part : best), '')
  const start = [PatternStart.anywhere, PatternStart.name, PatternStart.label][bars] ?? 0
  return { text, start, end, texts, automaton: undefined, parts: [longest] }
}

const fourAt = (text: string, at: number): number =>
  (text.charCodeAt(at) << 24) |
  (text.charCodeAt(at + 1) << 16) |
  (text.charCodeAt(at + 2) << 8) |
  text.charCodeAt(at + 3)

/** Texts that occur in too many names to tell patterns apart. */
const common = new Set(
  [
    `.com`,
    `com${String.fromCharCode(endByte)}`,
    '.www',
    'www.',
    '.net',
    `net${String.fromCharCode(endByte)}`,
    '.org',
  ].map((text) => fourAt(text, 0)),
)
