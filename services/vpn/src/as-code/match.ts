import { isDeepStrictEqual } from 'node:util'
import { distinct } from './read-document.ts'
import type { AnySection, Change, EntryValue, Held, Wanted, Work } from './section.ts'

type AnyHeld = Held<EntryValue>
type AnyWanted = Wanted<EntryValue>

/** What is to be done in a section, and what it has that the file does not. */
export interface Matched {
  readonly work: Work<EntryValue>
  /** Entries that go when the file is all there is to be. */
  readonly extra: readonly AnyHeld[]
}

/**
 * Finds the entries of the file among those that are there: by what an entry is first, such as its public key, then by its name. With
 * `prune` those that the file does not have go.
 */
export function match(
  section: AnySection,
  { held, wanted }: { held: readonly AnyHeld[]; wanted: readonly AnyWanted[] },
  prune: boolean,
): Matched {
  const pairs = pairUp(section, held, wanted)
  const taken = new Set(pairs.values())
  const all = wanted.map((each) => ({ wanted: each, held: pairs.get(each) }))
  const left = held.filter((each) => !taken.has(each))
  const isReplaced = (each: AnyHeld) => section.replaces?.(each, wanted) === true
  const [replaced, extra] = [left.filter(isReplaced), left.filter((each) => !isReplaced(each))]
  // Where nothing can be removed by itself, it goes when the others are brought to the file.
  const goesAlong = prune && section.remove === undefined
  return {
    work: {
      all,
      create: all.flatMap((each) => (each.held === undefined ? [each.wanted] : [])),
      change: all.flatMap((each) => (each.held === undefined ? [] : changeOf(section, each.held, each.wanted))),
      replaced: goesAlong ? [...replaced, ...extra] : replaced,
      stay: goesAlong ? [] : extra,
    },
    extra,
  }
}

function pairUp({ identity, isOrdered }: AnySection, held: readonly AnyHeld[], wanted: readonly AnyWanted[]) {
  const pairs = new Map<AnyWanted, AnyHeld>()
  const free = new Set(held)
  const pair = (
    wantedKey: (each: AnyWanted) => string | undefined,
    known: ReadonlyMap<string | undefined, AnyHeld>,
  ) => {
    for (const each of wanted) {
      const key = wantedKey(each)
      const found = key === undefined || pairs.has(each) ? undefined : known.get(key)
      if (found === undefined || !free.delete(found)) continue
      pairs.set(each, found)
    }
  }
  if (identity !== undefined) {
    const known = new Map(held.map((each) => [identity(each.value), each]))
    pair(({ value }) => identity(value), known)
  }
  const counts = new Map<string, number>()
  const keyed = held.map((each) => {
    const count = (counts.get(each.key) ?? 0) + 1
    counts.set(each.key, count)
    return [isOrdered === true ? distinct(each.key, count) : each.key, each] as const
  })
  pair(({ key }) => key, new Map(keyed))
  return pairs
}

function changeOf({ form }: AnySection, held: AnyHeld, wanted: AnyWanted): Change<EntryValue>[] {
  const members = Object.entries(wanted.value).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, held.value[name]),
  )
  const isRenamed = form === 'map' && held.name !== wanted.name
  return members.length === 0 && !isRenamed ? [] : [{ held, wanted, members: Object.fromEntries(members) }]
}
