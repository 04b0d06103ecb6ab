import { countPlaces, maxPlaces, type Expression } from './expression-tree.ts'
import { startSymbol, symbolCount } from './name-symbols.ts'
import { ExpressionUnsupported } from './parse-expression.ts'

/**
 * The automaton of an expression's places (Glushkov's): sets of places as bits, so that a name is matched in one pass whatever
 * the expression, and nothing is ever tried twice.
 */
export interface Automaton {
  /** Words of 32 bits a set of places takes. */
  readonly width: number
  /** Matches without any letter, hence everywhere. */
  readonly isAlways: boolean
  /** Can begin with the name only. */
  readonly isAnchored: boolean
  /** `first`, `last`, then a set for each symbol, then for each place the set of places that may follow it. */
  readonly words: Int32Array
}

/** Properties of a part: whether it may be empty, and where it may begin and end. */
interface Ends {
  readonly isEmpty: boolean
  readonly first: ReadonlySet<number>
  readonly last: ReadonlySet<number>
}

const none: ReadonlySet<number> = new Set()

/** Builds the automaton. Throws `ExpressionUnsupported` when it would be too large, or can match nothing. */
export function buildAutomaton(tree: Expression): Automaton {
  if (countPlaces(tree) > maxPlaces) throw new ExpressionUnsupported('expression too large')
  const builder = new Builder()
  const ends = builder.add(tree)
  if (!ends.isEmpty && !builder.canEnd(ends)) throw new ExpressionUnsupported('can match no name')
  return builder.lay(ends)
}

class Builder {
  readonly #symbols: ReadonlySet<number>[] = []
  readonly #follow: Set<number>[] = []

  add(tree: Expression): Ends {
    switch (tree.kind) {
      case 'set':
        return this.#addSet(tree.symbols)
      case 'sequence':
        return tree.parts.reduce<Ends>((before, part) => this.#join(before, this.add(part)), {
          isEmpty: true,
          first: none,
          last: none,
        })
      case 'choice':
        return tree.parts
          .map((part) => this.add(part))
          .reduce((one, other) => ({
            isEmpty: one.isEmpty || other.isEmpty,
            first: one.first.union(other.first),
            last: one.last.union(other.last),
          }))
      case 'repeat':
        return this.#addRepeat(tree.part, tree.least, tree.most)
    }
  }

  #addSet(symbols: ReadonlySet<number>): Ends {
    const place = this.#symbols.push(symbols) - 1
    this.#follow.push(new Set())
    const own = new Set([place])
    return { isEmpty: false, first: own, last: own }
  }

  #join(before: Ends, after: Ends): Ends {
    this.#link(before.last, after.first)
    return {
      isEmpty: before.isEmpty && after.isEmpty,
      first: before.isEmpty ? before.first.union(after.first) : before.first,
      last: after.isEmpty ? before.last.union(after.last) : after.last,
    }
  }

  #link(from: ReadonlySet<number>, to: ReadonlySet<number>): void {
    for (const place of from) for (const next of to) this.#follow[place]!.add(next)
  }

  /** Repetitions are written out; the last one of an endless repetition follows itself. */
  #addRepeat(part: Expression, least: number, most: number): Ends {
    let ends: Ends = { isEmpty: true, first: none, last: none }
    const copies = most === Infinity ? Math.max(least, 1) : most
    for (let copy = 1; copy <= copies; copy++) {
      const added = this.add(part)
      if (most === Infinity && copy === copies) this.#link(added.last, added.first)
      ends = this.#join(ends, copy > least ? { ...added, isEmpty: true } : added)
    }
    return ends
  }

  /** Returns true if an end can be reached from a beginning through places that some letter fits. */
  canEnd({ first, last }: Ends): boolean {
    const reached = new Set<number>()
    const waiting = [...first]
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (reached.has(place) || this.#symbols[place]!.size === 0) continue
      if (last.has(place)) return true
      reached.add(place)
      waiting.push(...this.#follow[place]!)
    }
    return false
  }

  lay({ first, last, isEmpty }: Ends): Automaton {
    const width = Math.max(1, Math.ceil(this.#symbols.length / 32))
    const words = new Int32Array(width * (2 + symbolCount + this.#symbols.length))
    const put = (set: number, place: number) => (words[set * width + (place >>> 5)]! |= 1 << (place & 31))
    for (const place of first) put(0, place)
    for (const place of last) put(1, place)
    for (const [place, symbols] of this.#symbols.entries()) for (const symbol of symbols) put(2 + symbol, place)
    for (const [place, nexts] of this.#follow.entries()) for (const next of nexts) put(2 + symbolCount + place, next)
    const isAnchored = [...first].every((place) => [...this.#symbols[place]!].every((symbol) => symbol === startSymbol))
    return { width, isAlways: isEmpty, isAnchored, words }
  }
}
