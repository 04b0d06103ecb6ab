import type { Expression } from './expression-tree.ts'
import { byteOfSymbol } from './name-symbols.ts'

/** Number of texts followed at once, and of letters in a class. */
const maxTexts = 24
const maxLetters = 4

/**
 * Texts that an expression matches: all of them, when they are few; and a choice of which every match contains
 * one.
 */
interface Known {
  readonly all: readonly string[] | undefined
  readonly contained: readonly string[] | undefined
}

/**
 * Texts of which every match contains at least one, the longer the better; undefined when there are none worth looking for.
 * They let a name be passed over without running the expression.
 */
export function fixedParts(tree: Expression): readonly string[] | undefined {
  const { all, contained } = know(tree)
  return better(all, contained)
}

const shortest = (texts: readonly string[] | undefined): number =>
  texts === undefined ? 0 : Math.min(...texts.map((text) => text.length))

const better = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
  shortest(one) >= shortest(other) ? one : other

function know(tree: Expression): Known {
  switch (tree.kind) {
    case 'set':
      return { all: lettersOf(tree.symbols), contained: undefined }
    case 'sequence':
      return knowSequence(tree.parts)
    case 'choice':
      return knowChoice(tree.parts)
    case 'repeat':
      return knowRepeat(tree.part, tree.least, tree.most)
  }
}

function lettersOf(symbols: ReadonlySet<number>): readonly string[] | undefined {
  const bytes = [...symbols].map(byteOfSymbol)
  if (bytes.length === 0 || bytes.length > maxLetters || bytes.includes(0)) return undefined
  return bytes.map((byte) => String.fromCharCode(byte))
}

function knowSequence(parts: readonly Expression[]): Known {
  let contained: readonly string[] | undefined
  let run: readonly string[] = ['']
  let isWhole = true
  for (const part of parts) {
    const known = know(part)
    contained = better(contained, known.contained)
    const product = known.all === undefined ? undefined : crossed(run, known.all)
    if (product !== undefined) {
      run = product
      continue
    }
    contained = better(contained, run)
    run = known.all ?? ['']
    isWhole = false
  }
  return { all: isWhole ? run : undefined, contained: better(contained, run) }
}

function crossed(heads: readonly string[], tails: readonly string[]): readonly string[] | undefined {
  if (heads.length * tails.length > maxTexts) return undefined
  return heads.flatMap((head) => tails.map((tail) => head + tail))
}

function knowChoice(parts: readonly Expression[]): Known {
  const known = parts.map(know)
  const all = known.every((one) => one.all !== undefined) ? known.flatMap((one) => one.all ?? []) : undefined
  const each = known.map((one) => better(one.all, one.contained))
  const contained = each.every((texts) => texts !== undefined) ? each.flatMap((texts) => texts ?? []) : undefined
  return { all: few(all), contained: few(contained) }
}

const few = (texts: readonly string[] | undefined) =>
  texts === undefined || texts.length > maxTexts ? undefined : texts

function knowRepeat(part: Expression, least: number, most: number): Known {
  const known = know(part)
  if (least === 1 && most === 1) return known
  if (least === 0) {
    const all = most === 1 && known.all !== undefined ? few(['', ...known.all]) : undefined
    return { all, contained: undefined }
  }
  return { all: undefined, contained: better(known.all, known.contained) }
}
