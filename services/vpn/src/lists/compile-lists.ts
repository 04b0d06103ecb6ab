import { hash, randomInt } from 'node:crypto'
import { assembleBundle, type BundledList, type ListBundle } from '../dns/policy/list-bundle.ts'
import { createClasses, Meaning, meanings } from '../dns/policy/membership.ts'
import type { NameSeeds } from '../dns/policy/name-hash.ts'
import { createPatternProgram, type PatternProgram } from '../dns/policy/pattern-program.ts'
import { insertName, type SuffixTable, tableBits } from '../dns/policy/suffix-table.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { detectFormat, readLine } from './formats/read-line.ts'
import { Cover, type CoverCode } from './formats/rule.ts'
import { LineCount, type ListReport } from './line-count.ts'
import { listBounds, ListReader, type ListSink } from './list-reader.ts'
import { meaningOf, RuleCollection } from './rule-collection.ts'
import { NameHasher } from './name-hasher.ts'

/** All lists in the form the resolver looks into, and what was found in each. */
export interface CompiledLists {
  readonly bundle: ListBundle
  readonly reports: readonly ListReport[]
}

/**
 * Compiles lists. Each text is read twice, first to see how many lines there are, and never kept: memory is that of the largest
 * text and twice that of the table.
 *
 * @param readText a list's text; called twice for each
 * @param seeds drawn again when missing: no one may know which names share a place
 */
export function compileLists(
  lists: readonly ResolverList[],
  readText: (list: ResolverList) => Uint8Array,
  seeds: NameSeeds = { first: randomInt(1, 2 ** 31), second: randomInt(1, 2 ** 31) },
): CompiledLists {
  let lines = 0
  const cancelled = new Set<string>()
  for (const list of lists) {
    const text = readText(list)
    lines += countLines(text)
    for (const key of collectCancelled(text)) cancelled.add(key)
  }
  for (let bits = tableBits(Math.min(lines, listBounds.allEntries)); ; bits++) {
    try {
      return new Compilation({ bits, seeds, cancelled }).run(lists, readText)
    } catch (error) {
      // Several names may stand in one line.
      if (!(error instanceof TableFull)) throw error
    }
  }
}

/** Number of names added at a time. */
const batch = 256

class TableFull extends Error {
  override readonly name = 'TableFull'
}

function countLines(text: Uint8Array): number {
  let count = 1
  for (let at = 0; at < text.length; at++) if (text[at] === 10) count++
  return count
}

class Compilation {
  readonly #table: SuffixTable
  readonly #room: number
  readonly #cancelled: ReadonlySet<string>
  readonly #classes = createClasses()
  readonly #patterns: PatternProgram = createPatternProgram()
  readonly #rules = new RuleCollection()
  readonly #hasher: NameHasher
  readonly #name = { lane1: 0, lane2: 0, class: 0 }
  #names = 0
  /** Names that wait to be put in, see `#insertWaiting`. */
  readonly #lanes1 = new Int32Array(batch)
  readonly #lanes2 = new Int32Array(batch)
  readonly #given = new Uint16Array(batch)
  #waiting = 0
  /** Names of the batch that are new or of which more is said now, and those of which it could not be noted. */
  #changes = 0
  #lost = 0

  constructor({ bits, seeds, cancelled }: { bits: number; seeds: NameSeeds; cancelled: ReadonlySet<string> }) {
    this.#table = { words: new Uint32Array(2 * 2 ** bits), bits, seeds }
    this.#room = Math.floor(2 ** bits * 0.8) - batch
    this.#cancelled = cancelled
    this.#hasher = new NameHasher(seeds)
  }

  run(lists: readonly ResolverList[], readText: (list: ResolverList) => Uint8Array): CompiledLists {
    const reports: ListReport[] = []
    const bundled: BundledList[] = []
    for (const list of lists) {
      const text = readText(list)
      const { number, id, name, format } = list
      bundled.push({ number, id, name, format, sha256: hash('sha256', text) })
      reports.push(this.#readList(list, text))
    }
    const classes = this.#classes.words.slice(0, this.#classes.count() * meanings)
    const patterns = this.#patterns.build()
    return {
      bundle: assembleBundle({
        table: this.#table,
        classes,
        patterns,
        names: this.#names,
        lists: bundled,
        rules: this.#rules.rules,
      }),
      reports,
    }
  }

  #readList(list: ResolverList, text: Uint8Array): ListReport {
    const count = new LineCount()
    const format = list.format === 'auto' ? detectFormat(text) : list.format
    new ListReader(text, format, { hasher: this.#hasher, count, sink: this.#sinkFor(list, count) }).readAll()
    this.#insertWaiting(count)
    return count.report(list.id)
  }

  #sinkFor({ number }: ResolverList, count: LineCount): ListSink {
    const classes = new Map<number, number>()
    return {
      name: (cover, isException, isImportant) => {
        const weight = (isException ? 1 : 0) + (isImportant ? 2 : 0)
        const kind = weight * 4 + cover
        let ownClass = classes.get(kind)
        if (ownClass === undefined) classes.set(kind, (ownClass = this.#classFor(number, weight, cover)))
        this.#wait(ownClass, count)
      },
      conditional: (line, text) => {
        const rule = this.#rules.read(line, { text, list: number })
        if (typeof rule === 'string') return rule
        if (rule === undefined) return undefined
        const reason = line.kind === 'pattern' ? this.#patterns.add(line.text, Meaning.conditional, number) : undefined
        if (reason !== undefined) return reason
        if (line.kind === 'names') this.#wait(this.#classes.single(Meaning.conditional, number), count)
        else count.entries++
        this.#rules.add(rule, line.key)
        return undefined
      },
      pattern: ({ text, weight }) => {
        const meaning = meaningOf(weight)
        if (this.#patterns.has(text, meaning, number)) return undefined
        const reason = this.#patterns.add(text, meaning, number)
        if (reason === undefined) count.entries++
        return reason
      },
      isCancelled: (key) => this.#cancelled.size > 0 && this.#cancelled.has(key()),
    }
  }

  /** Puts the name the hasher read last among those that wait. */
  #wait(ownClass: number, count: LineCount): void {
    const waiting = this.#waiting
    this.#lanes1[waiting] = this.#hasher.lane1
    this.#lanes2[waiting] = this.#hasher.lane2
    this.#given[waiting] = ownClass
    if (++this.#waiting === batch) this.#insertWaiting(count)
  }

  /** Many at once: the table is far larger than the processor's cache, and so it fetches the next places meanwhile. */
  #insertWaiting(count: LineCount): void {
    const name = this.#name
    for (let k = 0; k < this.#waiting; k++) {
      name.lane1 = this.#lanes1[k]!
      name.lane2 = this.#lanes2[k]!
      name.class = this.#given[k]!
      if (insertName(this.#table, name, this.#combine)) {
        this.#names++
        this.#changes++
      }
    }
    count.entries += this.#changes
    count.lose(this.#lost)
    this.#waiting = this.#changes = this.#lost = 0
    if (this.#names > this.#room) throw new TableFull()
  }

  #classFor(list: number, weight: number, cover: CoverCode): number {
    const itself = (cover & Cover.itself) === 0 ? 0 : this.#classes.single(weight, list)
    const below = (cover & Cover.below) === 0 ? 0 : this.#classes.single(weight + Meaning.below, list)
    return this.#classes.combine(itself, below)
  }

  /** Combines two classes of a name; the known one stays when lists overlap in too many different ways. */
  readonly #combine = (known: number, added: number): number => {
    try {
      const both = this.#classes.combine(known, added)
      if (both !== known) this.#changes++
      return both
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#lost++
      return known
    }
  }
}

const word = new TextEncoder().encode('badfilter')

/** The keys of all rules that a list takes away by `$badfilter`. Costs next to nothing in lists without the word. */
function collectCancelled(text: Uint8Array): string[] {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const keys: string[] = []
  for (let at = bytes.indexOf(word); at !== -1;) {
    const start = bytes.lastIndexOf(10, at) + 1
    const found = bytes.indexOf(10, at)
    const end = found === -1 ? bytes.length : found
    const rule = end - start > 16_384 ? undefined : readLine(bytes.toString('utf8', start, end).trim(), 'adblock')
    if (rule?.kind === 'cancel') keys.push(rule.key)
    at = bytes.indexOf(word, end)
  }
  return keys
}
