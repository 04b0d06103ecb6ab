import type { Clock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'
import { createSpaceSaving, type SpaceSaving } from './counts/space-saving.ts'

/** One entry of a list; `count` is at most `error` too high. */
export interface TopEntry {
  readonly key: string
  readonly count: number
  readonly error: number
}

/** Most frequent paths and clients of each site. Kept in memory: it begins anew with the service and every day. */
export interface TopLists {
  add(siteId: number, line: LogLine): void
  of(siteId: number): { readonly since: number; readonly paths: TopEntry[]; readonly clients: TopEntry[] }
}

/** Places of one list, sites with lists, and entries that are shown. */
const places = 100
const mostSites = 500
const shown = 10
const day = 86_400_000

interface SiteLists {
  readonly since: number
  readonly paths: SpaceSaving
  readonly clients: SpaceSaving
}

/** Lists of bounded size; when there are too many sites, those asked longest ago lose theirs. */
export function createTopLists(clock: Clock): TopLists {
  const sites = new Map<number, SiteLists>()

  function listsOf(siteId: number): SiteLists {
    const now = clock.now()
    const known = sites.get(siteId)
    const isGood = known !== undefined && now - known.since < day
    const lists = isGood ? known : { since: now, paths: createSpaceSaving(places), clients: createSpaceSaving(places) }
    sites.delete(siteId)
    sites.set(siteId, lists)
    const [oldest] = sites.keys()
    if (sites.size > mostSites && oldest !== undefined) sites.delete(oldest)
    return lists
  }

  return {
    add(siteId, line) {
      if (line.at < clock.now() - day) return
      const { paths, clients } = listsOf(siteId)
      paths.add(line.path)
      if (line.client !== '') clients.add(line.client)
    },
    of(siteId) {
      const lists = sites.get(siteId)
      if (lists === undefined) return { since: clock.now(), paths: [], clients: [] }
      return { since: lists.since, paths: lists.paths.top(shown), clients: lists.clients.top(shown) }
    },
  }
}
