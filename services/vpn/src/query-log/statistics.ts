import { Status, Trait } from '../dns/policy/verdict.ts'
import type { LogView, Segment } from './log-file.ts'

const hour = 3_600_000
const day = 24 * hour
const tops = 10
/** Client numbers up to this are counted in arrays. */
const denseClients = 1 << 16

export type Bucket = 'hour' | 'day'

/** Whole clock hours or days (UTC), the current one included. */
export interface Period {
  readonly hours: number
  readonly bucket: Bucket
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Statistics of a period. Names are as in the log; clients are numbers. */
export interface Statistics {
  readonly total: number
  readonly blocked: number
  /** Answered from the cache. */
  readonly cached: number
  readonly uniqueDomains: number
  /** Number of peers that sent queries. */
  readonly uniqueClients: number
  /** From the query to the answer, milliseconds; 0 without queries. */
  readonly averageMs: number
  readonly topDomains: readonly { readonly domain: string; readonly count: number }[]
  readonly topBlocked: readonly { readonly domain: string; readonly count: number }[]
  readonly topClients: readonly {
    readonly client: number
    readonly name: string | null
    readonly total: number
    readonly blocked: number
  }[]
  /** By type number, most frequent first. */
  readonly types: readonly { readonly type: number; readonly count: number }[]
  /** Oldest first; `time` is where a bucket begins, milliseconds since the epoch. */
  readonly series: readonly { readonly time: number; readonly total: number; readonly blocked: number }[]
}

/** Returns where a period and its buckets begin. */
export function bucketsOf({ hours, bucket, now }: Period): { start: number; width: number; count: number } {
  const width = bucket === 'hour' ? hour : day
  const count = Math.max(1, Math.ceil((hours * hour) / width))
  return { start: (Math.floor(now / width) - count + 1) * width, width, count }
}

/** Counts the queries of a period, entry by entry: a second for a hundred million of them. */
export function statisticsOf(view: LogView, period: Period): Statistics {
  const { start, width, count } = bucketsOf(period)
  const tally = new Tally(view, count)
  for (const segment of view.segments) {
    if (segment.lastAt < start || segment.firstAt >= start + count * width) continue
    tally.add(segment, { start, width })
  }
  return tally.result(view, { start, width })
}

class Tally {
  readonly #buckets: number
  readonly #totals: Float64Array
  readonly #blockeds: Float64Array
  readonly #kinds = new Uint32Array(1 << 16)
  readonly #isBlocked = new Uint8Array(1 << 16)
  readonly #names: Uint32Array
  readonly #blockedNames: Uint32Array
  readonly #clients = new Uint32Array(denseClients)
  readonly #blockedClients = new Uint32Array(denseClients)
  readonly #otherClients = new Map<number, { total: number; blocked: number }>()
  #micros = 0

  constructor(view: LogView, buckets: number) {
    this.#buckets = buckets
    this.#totals = new Float64Array(buckets)
    this.#blockeds = new Float64Array(buckets)
    const greatest = view.names.greatest()
    this.#names = new Uint32Array(greatest + 1)
    this.#blockedNames = new Uint32Array(greatest + 1)
    for (const kind of view.kinds) {
      if (kind !== undefined) this.#isBlocked[kind.id] = kind.status === Status.blocked ? 1 : 0
    }
  }

  add(segment: Segment, { start, width }: { start: number; width: number }): void {
    const [kinds, names, clients, micros] = [segment.kinds(), segment.names(), segment.clients(), segment.micros()]
    const bucketOf = (at: number) => Math.floor((at - start) / width)
    const only = bucketOf(segment.firstAt)
    const isOne = only === bucketOf(segment.lastAt)
    const timeOf = isOne ? undefined : segment.times()
    for (let n = 0; n < segment.rows; n++) {
      const bucket = timeOf === undefined ? only : bucketOf(timeOf(n))
      if (bucket < 0 || bucket >= this.#buckets) continue
      const kind = kinds[n]!
      const name = names[n]!
      const client = clients[n]!
      const blocked = this.#isBlocked[kind]!
      this.#totals[bucket]! += 1
      this.#blockeds[bucket]! += blocked
      this.#kinds[kind]! += 1
      this.#names[name]! += 1
      this.#blockedNames[name]! += blocked
      this.#micros += micros[n]!
      if (client < denseClients) {
        this.#clients[client]! += 1
        this.#blockedClients[client]! += blocked
      } else this.#countOther(client, blocked)
    }
  }

  result(view: LogView, { start, width }: { start: number; width: number }): Statistics {
    const total = sum(this.#totals)
    const domains = greatest(this.#names)
    const blocked = greatest(this.#blockedNames)
    const texts = view.names.textsOf([...domains, ...blocked].map(([name]) => name))
    const named = ([name, count]: [number, number]) => ({ domain: texts.get(name) ?? '', count })
    return {
      total,
      blocked: sum(this.#blockeds),
      ...this.#byKind(view),
      uniqueDomains: countOf(this.#names),
      uniqueClients: countOf(this.#clients) + this.#otherClients.size - (this.#clients[0]! > 0 ? 1 : 0),
      averageMs: total === 0 ? 0 : this.#micros / total / 1000,
      topDomains: domains.map(named),
      topBlocked: blocked.map(named),
      topClients: this.#topClients(view),
      series: Array.from(this.#totals, (count, index) => ({
        time: start + index * width,
        total: count,
        blocked: this.#blockeds[index]!,
      })),
    }
  }

  #countOther(client: number, blocked: number): void {
    const known = this.#otherClients.get(client)
    if (known === undefined) this.#otherClients.set(client, { total: 1, blocked })
    else {
      known.total += 1
      known.blocked += blocked
    }
  }

  #byKind(view: LogView): Pick<Statistics, 'cached' | 'types'> {
    let cached = 0
    const types = new Map<number, number>()
    for (const [id, count] of this.#kinds.entries()) {
      const kind = view.kinds[id]
      if (count === 0 || kind === undefined) continue
      if ((kind.traits & Trait.cached) !== 0) cached += count
      types.set(kind.type, (types.get(kind.type) ?? 0) + count)
    }
    return { cached, types: [...types].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count) }
  }

  #topClients(view: LogView): Statistics['topClients'] {
    const names = new Map(view.clients().map(({ number, name }) => [number, name]))
    const dense = greatest(this.#clients).map(([client, total]) => ({
      client,
      total,
      blocked: this.#blockedClients[client]!,
    }))
    const others = [...this.#otherClients].map(([client, { total, blocked }]) => ({ client, total, blocked }))
    return [...dense, ...others]
      .sort((a, b) => b.total - a.total)
      .slice(0, tops)
      .map(({ client, total, blocked }) => ({ client, name: names.get(client) ?? null, total, blocked }))
  }
}

const sum = (numbers: Float64Array): number => numbers.reduce((total, number) => total + number, 0)

function countOf(counts: Uint32Array): number {
  let found = 0
  for (const count of counts) if (count > 0) found += 1
  return found
}

/** The greatest counts with their places, greatest first. */
function greatest(counts: Uint32Array): [number, number][] {
  const found: [number, number][] = []
  let least = 0
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place]!
    if (count <= least) continue
    let at = found.length
    while (at > 0 && found[at - 1]![1] < count) at -= 1
    found.splice(at, 0, [place, count])
    if (found.length > tops) found.pop()
    if (found.length === tops) least = found[tops - 1]![1]
  }
  return found
}
