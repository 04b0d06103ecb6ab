import type { ListBundle } from '../src/dns/policy/list-bundle.ts'
import { meanings } from '../src/dns/policy/membership.ts'
import { createPatternMatcher } from '../src/dns/policy/patterns.ts'
import { findName } from '../src/dns/policy/suffix-table.ts'
import { NameHasher } from '../src/lists/name-hasher.ts'

/** Looks a name up in a bundle in the obvious way, label by label; returns the numbers of the lists. */
export interface Said {
  readonly blocks: readonly number[]
  readonly allows: readonly number[]
  readonly blocksImportantly: readonly number[]
  readonly allowsImportantly: readonly number[]
}

/** Asks a bundle about a name: the name itself, what is above it, and the patterns. */
export function askBundle(bundle: ListBundle, name: string): Said {
  const sets = new Uint32Array(meanings)
  const hasher = new NameHasher(bundle.table.seeds)
  const bytes = new TextEncoder().encode(name)
  createPatternMatcher(bundle.patterns).match(bytes, bytes.length, sets)
  for (let at = 0; at !== -1; at = next(name, at)) {
    if (!hasher.read(bytes, at, bytes.length)) continue
    const mask = 2 ** bundle.table.bits - 1
    const found = findName(bundle.table.words, mask, hasher.lane1 | 0, hasher.lane2 | 0)
    for (let k = 0; k < 4; k++) sets[k]! |= bundle.classes[found * meanings + (at === 0 ? k : k + 4)]!
  }
  const listsOf = (set: number) => Array.from({ length: 32 }, (_, k) => k).filter((k) => (set & (1 << k)) !== 0)
  return {
    blocks: listsOf(sets[0]!),
    allows: listsOf(sets[1]!),
    blocksImportantly: listsOf(sets[2]!),
    allowsImportantly: listsOf(sets[3]!),
  }
}

function next(name: string, at: number): number {
  const dot = name.indexOf('.', at)
  return dot === -1 ? -1 : dot + 1
}
