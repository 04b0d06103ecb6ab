const hour = 3_600_000
/** Hours that the usual count is taken from. */
const historyHours = 14 * 24
/** Hours that must be known before anything is judged. */
const minHours = 3 * 24
/** Blocked queries in an hour below which nothing is a surge: small numbers vary more. */
const floor = 500
/** Times the usual count. */
const factor = 10
/** Share of an hour's blocked queries that one client may make for one name; beyond, the client repeats itself. */
const maxRepeatShare = 0.6
/** Names that are kept of an hour. */
const maxNames = 200

/** Queries that a list blocked in the last minute or so. */
export interface BlockedCount {
  readonly at: number
  readonly count: number
  /** Some of their names, with the client's number, and how often. */
  readonly names: readonly { readonly name: string; readonly client: number; readonly count: number }[]
}

/** What is kept of a list. */
export interface SurgeState {
  /** Start and count of past hours, oldest first; hours in which nothing was counted, not even nothing, are missing. */
  readonly hours: readonly (readonly [start: number, count: number])[]
  readonly current: {
    readonly start: number
    readonly count: number
    /** Counts by client and name, see `nameKey`. */
    readonly names: ReadonlyMap<string, number>
  }
}

/** A list that blocks ten times as much as usual. */
export interface SurgeFinding {
  /** Start of the hour. */
  readonly hour: number
  readonly count: number
  /** Blocked queries in such an hour, on average. */
  readonly usual: number
  /** Days that this was taken from. */
  readonly days: number
  /** Most frequent names of the hour. */
  readonly names: readonly { readonly name: string; readonly count: number }[]
}

const hourOf = (at: number): number => Math.floor(at / hour) * hour

/**
 * Adds what a list blocked, which may be nothing, and judges the hour so far. It is a surge when at least 500 queries were blocked and ten times as
 * many as usual. Usual is the larger of two means of the last 14 days: of all hours, and of the same hour of the day with the
 * hour before and after. Three days must be known. An hour in which more than 60 % are one client's queries for one name is a
 * client that repeats itself.
 */
export function noteBlocked(
  state: SurgeState | undefined,
  counted: BlockedCount,
): { readonly state: SurgeState; readonly finding?: SurgeFinding } {
  const start = hourOf(counted.at)
  const before = state === undefined ? newState(start) : state.current.start >= start ? state : closed(state, start)
  const current = {
    start: before.current.start,
    count: before.current.count + counted.count,
    names: addNames(before.current.names, counted.names),
  }
  const next = { ...before, current }
  const finding = judge(next)
  return finding === undefined ? { state: next } : { state: next, finding }
}

const newState = (start: number): SurgeState => ({
  hours: [],
  current: { start, count: 0, names: new Map() },
})

/** Ends the current hour. */
function closed(state: SurgeState, start: number): SurgeState {
  const { current } = state
  const oldest = start - historyHours * hour
  const hours = [...state.hours, [current.start, current.count] as const].filter(([at]) => at >= oldest)
  return { hours, current: { start, count: 0, names: new Map() } }
}

const nameKey = (client: number, name: string): string => `${client} ${name}`

function addNames(known: ReadonlyMap<string, number>, more: BlockedCount['names']): ReadonlyMap<string, number> {
  if (more.length === 0) return known
  const names = new Map(known)
  for (const { name, client, count } of more) {
    const key = nameKey(client, name)
    names.set(key, (names.get(key) ?? 0) + count)
  }
  if (names.size <= maxNames) return names
  return new Map([...names].sort(([, a], [, b]) => b - a).slice(0, maxNames / 2))
}

function judge({ hours, current }: SurgeState): SurgeFinding | undefined {
  if (hours.length < minHours || current.count < floor) return undefined
  const usual = usualCount(hours, current.start)
  if (current.count < factor * usual || isRepeated(current)) return undefined
  return {
    hour: current.start,
    count: current.count,
    usual,
    days: Math.floor(hours.length / 24),
    names: topNames(current.names),
  }
}

function usualCount(hours: SurgeState['hours'], start: number): number {
  const near = hours.filter(([at]) => {
    const apart = ((start - at) / hour) % 24
    return apart <= 1 || apart >= 23
  })
  return Math.max(meanOf(hours), meanOf(near))
}

const meanOf = (hours: SurgeState['hours']): number =>
  hours.reduce((sum, [, count]) => sum + count, 0) / Math.max(1, hours.length)

/** Names of the hour were counted only in part: the share is that of the counted ones. */
function isRepeated({ names }: SurgeState['current']): boolean {
  const counts = [...names.values()]
  const sum = counts.reduce((total, count) => total + count, 0)
  return sum > 0 && Math.max(...counts) > maxRepeatShare * sum
}

function topNames(counts: ReadonlyMap<string, number>): SurgeFinding['names'] {
  const names = new Map<string, number>()
  for (const [key, count] of counts) {
    const name = key.slice(key.indexOf(' ') + 1)
    names.set(name, (names.get(name) ?? 0) + count)
  }
  const sorted = [...names].sort(([, a], [, b]) => b - a)
  return sorted.slice(0, 10).map(([name, count]) => ({ name, count }))
}
