import {
  PatternHead,
  patternHeadWords,
  PatternKind,
  patternMagic,
  PatternRecord,
  patternRecordWords,
  partSlot,
} from './pattern-layout.ts'
import type { ReadyPattern } from './pattern-program.ts'

/** Writes patterns as a program; see `pattern-layout.ts`. */
export function layPatterns(patterns: readonly ReadyPattern[]): Int32Array {
  if (patterns.length === 0) return new Int32Array(0)
  const lists = new Map<number, number[]>()
  const always: number[] = []
  for (const [index, { fours }] of patterns.entries()) {
    if (fours.length === 0) always.push(index)
    for (const four of fours) lists.set(four, [...(lists.get(four) ?? []), index])
  }
  let bits = 4
  while (2 ** bits < lists.size * 2) bits++
  const words: number[] = []
  const head = [patternMagic, patterns.length, patternHeadWords, bits, 0, 0, 0, 0]
  const records = layRecords(patterns, patternHeadWords + patterns.length * patternRecordWords)
  words.push(...head)
  append(words, records.words)
  append(words, records.data)
  words[PatternHead.always] = words.length
  append(words, [always.length, ...always])
  const places = [...lists].map(([four, members]) => {
    const at = words.length
    append(words, [members.length, ...members])
    return [four, at] as const
  })
  words[PatternHead.parts] = words.length
  append(words, layParts(places, bits))
  words[PatternHead.width] = Math.max(1, ...widths(patterns))
  words[PatternHead.bytes] = words.length
  const bytes = new TextEncoder().encode(records.text)
  const program = new Int32Array(words.length + Math.ceil(bytes.length / 4))
  program.set(words)
  new Uint8Array(program.buffer).set(bytes, words.length * 4)
  return program
}

const widths = (patterns: readonly ReadyPattern[]) => new Set(patterns.map(({ automaton }) => automaton?.width ?? 1))

/** Spreading a long array into a call's arguments would not fit the stack. */
function append(words: number[], more: Iterable<number>): void {
  for (const word of more) words.push(word)
}

/** The records, what they refer to, and the bytes of all texts (ASCII only). `dataAt` is where the data will stand. */
function layRecords(patterns: readonly ReadyPattern[], dataAt: number) {
  const words: number[] = []
  const data: number[] = []
  const encoder = new TextEncoder()
  const texts: string[] = []
  let bytes = 0
  const place = (text: string): [number, number] => {
    const length = encoder.encode(text).length
    texts.push(text)
    bytes += length
    return [bytes - length, length]
  }
  for (const pattern of patterns) {
    const record = Array.from({ length: patternRecordWords }, () => 0)
    const { automaton } = pattern
    record[PatternRecord.kind] =
      automaton === undefined ? PatternKind.texts : automaton.isAlways ? PatternKind.every : PatternKind.expression
    record[PatternRecord.start] = pattern.start
    record[PatternRecord.end] = Number(pattern.end)
    record[PatternRecord.count] = automaton?.width ?? pattern.texts.length
    record[PatternRecord.data] = dataAt + data.length
    const [textAt, textLength] = place(pattern.text)
    record[PatternRecord.text] = textAt
    record[PatternRecord.textLength] = textLength
    for (const [k, set] of pattern.sets.entries()) record[PatternRecord.sets + k] = set
    append(data, automaton?.words ?? pattern.texts.flatMap(place))
    append(words, record)
  }
  return { words, data, text: texts.join('') }
}

/** The table of fixed parts. A slot that leads to 0 is free. */
function layParts(places: readonly (readonly [number, number])[], bits: number): Int32Array {
  const table = new Int32Array(2 * 2 ** bits)
  const mask = 2 ** bits - 1
  for (const [four, at] of places) {
    let slot = partSlot(four, bits)
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask
    table[2 * slot] = four
    table[2 * slot + 1] = at
  }
  return table
}
