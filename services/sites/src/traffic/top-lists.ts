import type { Clock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'

/** One entry of a list; `count` is at most `error` too high. */
export interface TopEntry {
  readonly key: string
  readonly count: number
  readonly error: number
}

/** Places of one list, sites with lists, and entries that are shown. */
const places = 100
const maxSites = 500
const shown = 10
const day = 86_400_000

interface SiteLists {
  readonly since: number
  readonly paths: SpaceSaving
  readonly clients: SpaceSaving
}

/**
 * Creates the lists of the most frequent paths and clients of each site. They are kept in memory, and begin anew with the service
 * and every day. Their size is bounded: when there are too many sites, the least recently requested ones lose theirs.
 */
export function createTopLists(clock: Clock) {
  const sites = new Map<number, SiteLists>()

  function listsOf(siteId: number): SiteLists {
    const now = clock.now()
    const known = sites.get(siteId)
    const isGood = known !== undefined && now - known.since < day
    const lists = isGood ? known : { since: now, paths: createSpaceSaving(places), clients: createSpaceSaving(places) }
    sites.delete(siteId)
    sites.set(siteId, lists)
    const [oldest] = sites.keys()
    if (sites.size > maxSites && oldest !== undefined) sites.delete(oldest)
    return lists
  }

  return {
    add(siteId: number, line: LogLine): void {
      if (line.at < clock.now() - day) return
      const { paths, clients } = listsOf(siteId)
      paths.add(line.path)
      if (line.client !== '') clients.add(line.client)
    },
    of(siteId: number): { readonly since: number; readonly paths: TopEntry[]; readonly clients: TopEntry[] } {
      const lists = sites.get(siteId)
      if (lists === undefined) return { since: clock.now(), paths: [], clients: [] }
      return { since: lists.since, paths: lists.paths.top(shown), clients: lists.clients.top(shown) }
    },
  }
}

/** Finds the most frequent keys among any number of different ones, in bounded memory. */
type SpaceSaving = ReturnType<typeof createSpaceSaving>

interface Counter {
  count: number
  /** Count of the one whose place was taken. */
  error: number
}

/**
 * The Space-Saving algorithm of Metwally, Agrawal and El Abbadi: when all places are taken, a new thing takes that of the
 * rarest and goes on from its count. Whatever makes up more than one in `capacity` is found for certain.
 */
export function createSpaceSaving(capacity: number) {
  const counters = new Map<string, Counter>()
  return {
    add(key: string): void {
      const known = counters.get(key)
      if (known !== undefined) known.count += 1
      else if (counters.size < capacity) counters.set(key, { count: 1, error: 0 })
      else replaceRarest(counters, key)
    },
    top(limit: number): TopEntry[] {
      return [...counters]
        .map(([key, { count, error }]) => ({ key, count, error }))
        .toSorted((one, other) => other.count - one.count || one.error - other.error)
        .slice(0, limit)
    },
  }
}

function replaceRarest(counters: Map<string, Counter>, key: string): void {
  let rarest: string | undefined
  let least = Infinity
  for (const [candidate, { count }] of counters) {
    if (count >= least) continue
    rarest = candidate
    least = count
    if (count === 1) break
  }
  if (rarest === undefined) return
  counters.delete(rarest)
  counters.set(key, { count: least + 1, error: least })
}
