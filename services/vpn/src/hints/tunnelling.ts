const minute = 60_000
/** Names of one client below one domain are counted over both times, milliseconds. */
const shortMs = 10 * minute
const longMs = 60 * minute
/** Bits by which different names are counted: up to some five thousand of them. */
const seenBits = 1024
const maxExamples = 5

/** DNS types that tools for tunnels use to bring much back, and that devices of people hardly query (RFC 1035, RFC 6895). */
const NULL = 10
const TXT = 16
const carrierTypes: ReadonlySet<number> = new Set([5, NULL, 15, 33])
const privateTypes = 65_280

/** A query for a name below a domain, which an upstream answered. */
export interface TunnelQuery {
  readonly at: number
  /** Labels before the registrable domain, with dots between them. */
  readonly sub: string
  /** DNS type. */
  readonly type: number
  /** The name does not exist. */
  readonly isMissing: boolean
}

/** Counted queries of one client below one domain. */
export interface Tally {
  readonly start: number
  readonly last: number
  readonly queries: number
  readonly missing: number
  /** Queries by DNS type. */
  readonly types: Readonly<Record<number, number>>
  /** Characters of all sub-names without their dots. */
  readonly characters: number
  /** Sum of the entropies, bits a character. */
  readonly entropy: number
  readonly maxLabel: number
  /** One bit for each hash of a name. */
  readonly seen: Uint32Array
  readonly examples: readonly string[]
}

/** What is kept of one client and one domain. */
export interface TunnelState {
  readonly short: Tally
  readonly long: Tally
}

/** Names below a domain that look like a tunnel. */
export interface TunnelFinding {
  readonly from: number
  readonly to: number
  readonly queries: number
  /** Different names, estimated. */
  readonly names: number
  /** Mean of characters before the domain, and characters of the longest label. */
  readonly meanLength: number
  readonly maxLabel: number
  /** Mean bits a character. */
  readonly entropy: number
  readonly missingShare: number
  readonly types: Readonly<Record<number, number>>
  /** Characters of sub-names a minute: the most that the names can carry. */
  readonly bytesPerMinute: number
  readonly examples: readonly string[]
}

/**
 * Adds a query and judges the names of its client below its domain. At least 70 % of the queries must be for different names.
 * They look like a tunnel when there are, within ten minutes,
 * - 100 names with 30 characters or more on average, or 16 when four of five do not exist, and 3 bits a character, or
 * - 100 names of which 70 % were queried by types that carry tunnels: NULL, CNAME, MX, SRV and private ones, or
 * - 400 names of which 70 % were queried as TXT,
 * or within an hour 240 names with 40 characters or more on average.
 */
export function noteQuery(
  state: TunnelState | undefined,
  query: TunnelQuery,
): { readonly state: TunnelState; readonly finding?: TunnelFinding } {
  const facts = factsOf(query.sub)
  const short = add(isOver(state?.short, query.at, shortMs) ? undefined : state?.short, query, facts)
  const long = add(isOver(state?.long, query.at, longMs) ? undefined : state?.long, query, facts)
  const next = { short, long }
  if (isTunnel(short)) return { state: next, finding: findingOf(short) }
  if (isSlowTunnel(long)) return { state: next, finding: findingOf(long) }
  return { state: next }
}

const isOver = (tally: Tally | undefined, at: number, duration: number): boolean =>
  tally === undefined || at - tally.start >= duration || at < tally.start

/** What counts of the name of a query. */
interface NameFacts {
  readonly characters: number
  /** Bits a character. */
  readonly entropy: number
  readonly maxLabel: number
  /** Place of the name among the bits of names that were seen. */
  readonly bit: number
}

function factsOf(sub: string): NameFacts {
  const labels = sub.split('.')
  const text = labels.join('')
  const maxLabel = Math.max(...labels.map((label) => label.length))
  return { characters: text.length, entropy: entropyOf(text), maxLabel, bit: hashOf(sub) % seenBits }
}

function add(tally: Tally | undefined, { at, sub, type, isMissing }: TunnelQuery, facts: NameFacts): Tally {
  const { characters, entropy, maxLabel, bit } = facts
  const seen = tally === undefined ? new Uint32Array(seenBits / 32) : tally.seen.slice()
  const word = seen[bit >>> 5] ?? 0
  const isNew = (word & (1 << (bit & 31))) === 0
  seen[bit >>> 5] = word | (1 << (bit & 31))
  const examples = tally?.examples ?? []
  return {
    start: tally?.start ?? at,
    last: at,
    queries: (tally?.queries ?? 0) + 1,
    missing: (tally?.missing ?? 0) + (isMissing ? 1 : 0),
    types: { ...tally?.types, [type]: (tally?.types[type] ?? 0) + 1 },
    characters: (tally?.characters ?? 0) + characters,
    entropy: (tally?.entropy ?? 0) + entropy,
    maxLabel: Math.max(tally?.maxLabel ?? 0, maxLabel),
    seen,
    examples: isNew && examples.length < maxExamples ? [...examples, sub] : examples,
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}

/** Occurrences of each character code; names in DNS have codes below 256. All zero between two names. */
const occurrences = new Uint8Array(256)

/** Shannon entropy, bits a character. */
function entropyOf(text: string): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) & 255
    occurrences[code] = (occurrences[code] ?? 0) + 1
  }
  let sum = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) & 255
    const count = occurrences[code] ?? 0
    if (count === 0) continue
    sum -= (count / text.length) * Math.log2(count / text.length)
    occurrences[code] = 0
  }
  return sum
}

/** Different names by the bits that are still free (linear counting). */
function namesOf({ seen, queries }: Tally): number {
  let free = seenBits
  for (let word of seen) for (; word !== 0; word &= word - 1) free -= 1
  const estimate = free === 0 ? Number.POSITIVE_INFINITY : seenBits * Math.log(seenBits / free)
  return Math.min(queries, Math.round(estimate))
}

function shareOf({ types, queries }: Tally, isMeant: (type: number) => boolean): number {
  let count = 0
  for (const [type, number] of Object.entries(types)) if (isMeant(Number(type))) count += number
  return count / queries
}

const isCarrier = (type: number): boolean => carrierTypes.has(type) || type >= privateTypes

function isTunnel(tally: Tally): boolean {
  const { queries, characters, entropy, missing } = tally
  if (queries < 100) return false
  const names = namesOf(tally)
  if (names < 100 || (names < 0.7 * queries && names < 2000)) return false
  const minLength = missing >= 0.8 * queries ? 16 : 30
  if (characters / queries >= minLength && entropy / queries >= 3) return true
  if (shareOf(tally, isCarrier) >= 0.7) return true
  return names >= 400 && shareOf(tally, (type) => type === TXT) >= 0.7
}

function isSlowTunnel(tally: Tally): boolean {
  const { queries, characters, entropy } = tally
  if (queries < 240 || characters / queries < 40 || entropy / queries < 3) return false
  const names = namesOf(tally)
  return names >= 240 && (names >= 0.7 * queries || names >= 2000)
}

function findingOf(tally: Tally): TunnelFinding {
  const { start, last, queries, missing, characters, entropy, maxLabel, types, examples } = tally
  const minutes = Math.max(1, (last - start) / minute)
  return {
    from: start,
    to: last,
    queries,
    names: namesOf(tally),
    meanLength: characters / queries,
    maxLabel,
    entropy: entropy / queries,
    missingShare: missing / queries,
    types,
    bytesPerMinute: Math.round(characters / minutes),
    examples,
  }
}
