import type { KindRow } from './interned-kinds.ts'
import type { LogView, Segment } from './log-file.ts'
import { blockRows, type Row } from './rows.ts'
import {
  allOf,
  countPair,
  settle,
  narrowByClients,
  narrowByKinds,
  narrowByNames,
  narrowByTimes,
  type Positions,
} from './narrow.ts'

/** Filter of entries; members that are left out let all pass. */
export interface QueryFilter {
  /** Name (upper and lower case alike), id or address of a peer; `unknown` for clients that are no peers. */
  readonly client?: string | undefined
  /** Part of the name, upper and lower case alike. */
  readonly domain?: string | undefined
  /** Numbers as in `dns/policy/verdict.ts`. */
  readonly status?: number | undefined
  readonly type?: number | undefined
  readonly reason?: number | undefined
  /** From this time on, and before that one; milliseconds since the epoch. */
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** Page of the matching entries: newest first, only those with smaller numbers than `before`. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
  readonly before?: number | undefined
}

/** One column's part of a filter, and what it let pass so far. */
interface Step {
  readonly narrow: (segment: Segment, positions: Positions) => void
  seen: number
  passed: number
}

/** A filter in the log's own numbers. */
interface RowFilter {
  readonly steps: Step[]
  /** Set when kinds and names are all there is to narrow by: they are counted in one go. */
  readonly pair: { readonly kinds: Uint8Array; readonly names: Uint32Array } | undefined
  readonly start: number
  readonly end: number
  /** Counts of sealed blocks with this filter. */
  readonly counts: Map<string, number>
}

/** Filters of which is remembered how many entries of each sealed block pass. */
const rememberedFilters = 24

/**
 * Finds pages of the log. Each sealed block is run through column by column, with those columns the filter needs; how many
 * entries of it pass is remembered, so that the next page, and the same page a little later, cost a few blocks. The total is
 * exact whatever the filter is.
 */
export class PageSearch {
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #positions: Positions = { at: new Uint16Array(blockRows), count: 0, isAll: false }

  /** One page and how many entries pass, whatever page it is. */
  find(view: LogView, filter: QueryFilter, request: PageRequest): { rows: Row[]; total: number } {
    const rowFilter = this.#rowFilterOf(view, filter)
    const rows: Row[] = []
    let total = 0
    let toSkip = request.offset
    const before = request.before ?? Infinity
    for (const segment of view.segments) {
      if (segment.lastAt < rowFilter.start || segment.firstAt >= rowFilter.end) continue
      const isWanted = rows.length < request.limit && segment.firstId < before
      const known = knownCount(segment, rowFilter)
      if (known !== undefined && (!isWanted || known === 0)) {
        total += known
        continue
      }
      if (known !== undefined && segment.lastId < before && known <= toSkip) {
        total += known
        toSkip -= known
        continue
      }
      const count = isWanted ? this.#narrow(segment, rowFilter) : this.#count(segment, rowFilter)
      total += count
      if (segment.key !== undefined && isWithin(segment, rowFilter)) rowFilter.counts.set(segment.key, count)
      if (!isWanted || count === 0) continue
      if (segment.lastId < before && count <= toSkip) {
        toSkip -= count
        continue
      }
      toSkip = this.#collect(segment, count, { before, toSkip, limit: request.limit }, rows)
    }
    return { rows, total }
  }

  /** Puts the positions that pass into `#positions`. Returns how many. */
  #narrow(segment: Segment, { steps, start, end }: RowFilter): number {
    const positions = this.#positions
    allOf(positions, segment.rows)
    // The most selective filter runs first; it is about the same in all blocks.
    if (steps.length > 1) steps.sort((one, other) => one.passed / one.seen - other.passed / other.seen)
    for (const step of steps) {
      if (positions.count === 0) return 0
      step.seen += positions.count
      step.narrow(segment, positions)
      step.passed += positions.count
    }
    if (positions.count > 0 && (segment.firstAt < start || segment.lastAt >= end)) {
      narrowByTimes(positions, segment.times(), start, end)
    }
    return positions.count
  }

  /** Counts the entries that pass, of a block that is not on the page. */
  #count(segment: Segment, rowFilter: RowFilter): number {
    const { pair } = rowFilter
    if (pair === undefined || !isWithin(segment, rowFilter)) return this.#narrow(segment, rowFilter)
    return countPair({ kinds: segment.kinds(), names: segment.names() }, pair)
  }

  #collect(
    segment: Segment,
    count: number,
    { before, toSkip, limit }: { before: number; toSkip: number; limit: number },
    rows: Row[],
  ): number {
    let left = toSkip
    const entry = rowsOf(segment)
    const ids = segment.ids()
    settle(this.#positions)
    for (let k = count - 1; k >= 0 && rows.length < limit; k--) {
      const n = this.#positions.at[k]!
      if (ids[n]! >= before) continue
      if (left > 0) left -= 1
      else rows.push(entry(n))
    }
    return left
  }

  #rowFilterOf(view: LogView, filter: QueryFilter): RowFilter {
    const clients = filter.client === undefined ? undefined : clientsCalled(view, filter.client)
    // What is counted is counted in blocks that lie within the period: it is true of every period.
    const { domain, status, type, reason } = filter
    const key = JSON.stringify([view.generation, domain, status, type, reason, clients && [...clients]])
    let counts = this.#counts.get(key)
    this.#counts.delete(key)
    counts ??= new Map()
    this.#counts.set(key, counts)
    if (this.#counts.size > rememberedFilters) this.#counts.delete(this.#counts.keys().next().value!)
    const kinds = kindsOf(view.kinds, filter)
    const names = domain === undefined ? undefined : view.names.containing(domain).bits
    const pair = clients === undefined && kinds !== undefined && names !== undefined ? { kinds, names } : undefined
    const steps = stepsOf(clients, kinds, names)
    return { steps, pair, start: filter.start ?? -Infinity, end: filter.end ?? Infinity, counts }
  }
}

function stepsOf(
  clients: ReadonlySet<number> | undefined,
  kinds: Uint8Array | undefined,
  names: Uint32Array | undefined,
): Step[] {
  const steps: Step[] = []
  const add = (narrow: Step['narrow']) => steps.push({ narrow, seen: 1, passed: steps.length })
  if (clients !== undefined) add((segment, positions) => narrowByClients(positions, segment.clients(), clients))
  if (kinds !== undefined) add((segment, positions) => narrowByKinds(positions, segment.kinds(), kinds))
  if (names !== undefined) add((segment, positions) => narrowByNames(positions, segment.names(), names))
  return steps
}

const isWithin = (segment: Segment, { start, end }: RowFilter): boolean =>
  segment.firstAt >= start && segment.lastAt < end

function knownCount(segment: Segment, rowFilter: RowFilter): number | undefined {
  if (!isWithin(segment, rowFilter)) return undefined
  if (rowFilter.steps.length === 0) return segment.rows
  return segment.key === undefined ? undefined : rowFilter.counts.get(segment.key)
}

function kindsOf(kinds: readonly (KindRow | undefined)[], filter: QueryFilter): Uint8Array | undefined {
  const { status, type, reason } = filter
  if (status === undefined && type === undefined && reason === undefined) return undefined
  const passing = new Uint8Array(1 << 16)
  for (const kind of kinds) {
    if (kind === undefined) continue
    if (status !== undefined && kind.status !== status) continue
    if (type !== undefined && kind.type !== type) continue
    if (reason !== undefined && kind.reason !== reason) continue
    passing[kind.id] = 1
  }
  return passing
}

/** The numbers of the clients a person may mean: by name (upper and lower case alike), id or address. */
export function clientsCalled(view: LogView, wanted: string): Set<number> {
  const text = wanted.toLowerCase()
  const found = view
    .clients()
    .filter(
      ({ name, peer, addresses }) =>
        name.toLowerCase() === text || peer === text || (JSON.parse(addresses) as string[]).includes(text),
    )
  return found.length === 0 && text === 'unknown' ? new Set([0]) : new Set(found.map(({ number }) => number))
}

/** The entries of a segment, by position. */
function rowsOf(segment: Segment): (n: number) => Row {
  const [ids, names, clients] = [segment.ids(), segment.names(), segment.clients()]
  const [kinds, micros, timeOf] = [segment.kinds(), segment.micros(), segment.times()]
  return (n) => ({
    id: ids[n]!,
    name: names[n]!,
    client: clients[n]!,
    kind: kinds[n]!,
    micros: micros[n]!,
    at: timeOf(n),
  })
}
