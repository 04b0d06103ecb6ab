import type { BundledRule } from './bundled-rule.ts'
import { meanings } from './membership.ts'
import type { SuffixTable } from './suffix-table.ts'

/** A list as it went into a bundle. */
export interface BundledList {
  /** The list's bit in every set, 0 to 31. */
  readonly number: number
  readonly id: string
  readonly name: string
  /** SHA-256 of its text, hex: a list that changed makes the bundle stale. */
  readonly sha256: string
  readonly format: string
}

/**
 * All enabled lists, compiled into one block of shared memory that threads read directly and that is stored on disk unchanged.
 * Readers need no copy and no parsing.
 */
export interface ListBundle {
  readonly memory: SharedArrayBuffer
  readonly table: SuffixTable
  /** `meanings` words a class, see `membership.ts`. */
  readonly classes: Uint32Array
  /** Patterns (wildcards, parts of names, expressions), see `patterns.ts`; empty without any. */
  readonly patterns: Int32Array
  /** Number of different names. */
  readonly names: number
  readonly lists: readonly BundledList[]
  /** Rules with modifiers and rules about addresses, see `conditional-rules.ts`. */
  readonly rules: readonly BundledRule[]
}

/** Parts of the lists that are kept as JSON. */
type Manifest = Pick<ListBundle, 'lists' | 'rules'>

/** Layout of the parts, in words of 32 bits. */
const magic = 0x4c44_4832 // "HDL2"
const headerWords = 16
const Head = { magic: 0, bits: 1, seed1: 2, seed2: 3, classes: 4, patterns: 5, names: 6, manifestBytes: 7 } as const

/** Lays the finished parts out in one stretch of shared memory. */
export function assembleBundle(parts: {
  readonly table: SuffixTable
  readonly classes: Uint32Array
  readonly patterns: Int32Array
  readonly names: number
  readonly lists: readonly BundledList[]
  readonly rules?: readonly BundledRule[]
}): ListBundle {
  const manifest = new TextEncoder().encode(
    JSON.stringify({ lists: parts.lists, rules: parts.rules ?? [] } satisfies Manifest),
  )
  const { table, classes, patterns } = parts
  const words = headerWords + table.words.length + classes.length + patterns.length + Math.ceil(manifest.length / 4)
  const memory = new SharedArrayBuffer(words * 4)
  const head = new Uint32Array(memory, 0, headerWords)
  head[Head.bits] = table.bits
  head[Head.seed1] = table.seeds.first
  head[Head.seed2] = table.seeds.second
  head[Head.classes] = classes.length
  head[Head.patterns] = patterns.length
  head[Head.names] = parts.names
  head[Head.manifestBytes] = manifest.length
  head[Head.magic] = magic
  const all = new Uint32Array(memory)
  let at = headerWords
  all.set(table.words, at)
  at += table.words.length
  all.set(classes, at)
  at += classes.length
  new Int32Array(memory).set(patterns, at)
  at += patterns.length
  new Uint8Array(memory).set(manifest, at * 4)
  return openBundle(memory)
}

/** Opens memory that holds a bundle. Throws when it does not, or only a part of one. */
export function openBundle(memory: SharedArrayBuffer): ListBundle {
  const head = memory.byteLength >= headerWords * 4 ? new Uint32Array(memory, 0, headerWords) : undefined
  if (head === undefined || head[Head.magic] !== magic) throw new Error('this is no bundle of compiled lists')
  const bits = head[Head.bits]!
  const [classWords, patternWords, manifestBytes] = [
    head[Head.classes]!,
    head[Head.patterns]!,
    head[Head.manifestBytes]!,
  ]
  const tableWords = 2 * 2 ** bits
  const classesAt = headerWords + tableWords
  const patternsAt = classesAt + classWords
  const manifestAt = (patternsAt + patternWords) * 4
  if (bits > 28 || manifestAt + manifestBytes > memory.byteLength) throw new Error('the bundle of lists is cut off')
  const manifest = new TextDecoder().decode(new Uint8Array(memory, manifestAt, manifestBytes).slice())
  return {
    memory,
    table: {
      words: new Uint32Array(memory, headerWords * 4, tableWords),
      bits,
      seeds: { first: head[Head.seed1]! | 0, second: head[Head.seed2]! | 0 },
    },
    classes: new Uint32Array(memory, classesAt * 4, classWords),
    patterns: new Int32Array(memory, patternsAt * 4, patternWords),
    names: head[Head.names]!,
    ...(JSON.parse(manifest) as Manifest),
  }
}

/** A bundle in which no list is. */
export function emptyBundle(): ListBundle {
  return assembleBundle({
    table: { words: new Uint32Array(2 * 2 ** 10), bits: 10, seeds: { first: 1, second: 2 } },
    classes: new Uint32Array(meanings),
    patterns: new Int32Array(0),
    names: 0,
    lists: [],
    rules: [],
  })
}
