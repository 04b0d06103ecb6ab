import { CellArena, cellBytes } from './cell-arena.ts'
import type { QuestionKey } from './question-key.ts'
import type { AnswerScan } from './wire/answer-scan.ts'

/** Bounds of the time for which answers are kept, seconds. */
export interface CacheLimits {
  /** Shorter TTLs are raised to this, except for negative answers. */
  readonly minTtl: number
  /** Longer TTLs are limited to this; 0 for a week. */
  readonly maxTtl: number
}

/** Freshness of a cached answer at a given time. */
export const Freshness = {
  /** The answer has expired. */
  past: 0,
  fresh: 1,
  /** The answer has expired, and no new query is due yet. */
  postponed: 2,
} as const

/** Bytes of a record before its message: length, scope, times of storing and expiry, bits of the question. */
export const recordOverhead = 17

/** Most bytes an answer may have behind its question. */
export const maxAnswerBytes = 3600

/** Time for which a stale answer may still be served (RFC 8767), seconds. */
const staleSeconds = 86_400
/** TTL of records in an answer past its time, seconds. RFC 8767 4 recommends it. */
const staleTtl = 30

const ways = 4
/** Numbers kept of each answer. */
const Field = {
  hash1: 0,
  hash2: 1,
  stored: 2,
  expires: 3,
  retryAt: 4,
  used: 5,
  firstCell: 6,
  cells: 7,
  keyLength: 8,
  bodyLength: 9,
  ttlCount: 10,
  /** Response code and, above it, traits. */
  head: 11,
  answers: 12,
  authorities: 13,
  additionals: 14,
  /** See `QuestionKey.take`. */
  scope: 15,
} as const
const fields = 16
const Head = { rcode: 15, authentic: 16, targets: 32, privateAddress: 64, queriedType: 128 } as const

/**
 * Answers of upstreams, in memory taken once: sets of four, of which the one used longest ago gives way. A body is what follows
 * the question, without OPT; as it starts at the same place for every question that is equal, its compression stays true. One
 * engine's alone: it is not shared between threads. Times are seconds since the epoch.
 */
export class AnswerCache {
  /** Requested capacity in answers; it is rounded up to whole sets of four. */
  readonly size: number
  /** Number of answers, stale ones included. */
  entries = 0
  /** Facts about the answer last read. */
  rcode = 0
  isAuthentic = false
  hasTargets = false
  hasPrivate = false
  answers = 0
  authorities = 0
  additionals = 0
  readonly #sets: number
  readonly #fields: Int32Array
  readonly #arena: CellArena
  #tick = 0
  #hand = 0
  /** Offsets of TTLs on their way in and out, two bytes each. */
  readonly #offsets = new Uint8Array(maxAnswerBytes)

  /** Takes its memory at once, about 450 bytes an answer; 0 keeps nothing. */
  constructor(size: number) {
    this.#sets = Math.ceil(size / ways)
    this.size = size
    this.#fields = new Int32Array(this.#sets * ways * fields)
    this.#arena = new CellArena(size === 0 ? 0 : size + Math.max(64, size >> 1))
  }

  /** The place of the answer to this question, however old; -1 for none. */
  find(key: QuestionKey): number {
    if (this.#sets === 0) return -1
    const all = this.#fields
    const first = this.#firstOf(key.hash1)
    for (let e = first; e < first + ways * fields; e += fields) {
      if (all[e + Field.hash1] !== key.hash1 || all[e + Field.hash2] !== key.hash2) continue
      if (all[e + Field.cells] === 0 || all[e + Field.keyLength] !== key.length) continue
      this.#arena.open(all[e + Field.firstCell]!)
      if (this.#arena.matches(key.bytes, key.length)) return e
    }
    return -1
  }

  /** Returns the freshness of an answer now. After a clock was set back an answer counts as expired rather than long-lived. */
  freshness(entry: number, now: number): number {
    const all = this.#fields
    if (now < all[entry + Field.stored]!) return Freshness.past
    if (now < all[entry + Field.expires]!) return Freshness.fresh
    return now < all[entry + Field.retryAt]! && this.isUsable(entry, now) ? Freshness.postponed : Freshness.past
  }

  /** Returns true in the last tenth of an answer's time, and in its last second. */
  isEnding(entry: number, now: number): boolean {
    const expires = this.#fields[entry + Field.expires]!
    const left = expires - now
    return left <= 1 || left * 10 <= expires - this.#fields[entry + Field.stored]!
  }

  /** Returns true if an expired answer may still be served when no newer one is available. */
  isUsable(entry: number, now: number): boolean {
    return now < this.#fields[entry + Field.expires]! + staleSeconds && now >= this.#fields[entry + Field.stored]!
  }

  /** The answer is stale, but until this time it is served without another query. */
  postpone(entry: number, until: number): void {
    this.#fields[entry + Field.retryAt] = until
  }

  /** Returns the length of a body without reading it. */
  bodyLength(entry: number): number {
    return this.#fields[entry + Field.bodyLength]!
  }

  /** Returns true if the name exists and has no record of the type that was asked for. */
  lacksType(entry: number): boolean {
    return (this.#fields[entry + Field.head]! & (Head.rcode | Head.queriedType)) === 0
  }

  /** Writes the body that `find` has just found to out[at ..], its TTLs aged; its other properties then stand in the members. */
  read(entry: number, now: number, out: Uint8Array, at: number): void {
    const all = this.#fields
    const arena = this.#arena
    all[entry + Field.used] = ++this.#tick
    const head = all[entry + Field.head]!
    this.rcode = head & Head.rcode
    this.isAuthentic = (head & Head.authentic) !== 0
    this.hasTargets = (head & Head.targets) !== 0
    this.hasPrivate = (head & Head.privateAddress) !== 0
    this.answers = all[entry + Field.answers]!
    this.authorities = all[entry + Field.authorities]!
    this.additionals = all[entry + Field.additionals]!
    const ttlCount = all[entry + Field.ttlCount]!
    arena.read(this.#offsets, 0, 2 * ttlCount)
    arena.read(out, at, all[entry + Field.bodyLength]!)
    const isStale = now >= all[entry + Field.expires]!
    const age = now - all[entry + Field.stored]!
    for (let k = 0; k < ttlCount; k++) {
      const p = at + ((this.#offsets[2 * k]! << 8) | this.#offsets[2 * k + 1]!)
      const given = (out[p]! << 24) | (out[p + 1]! << 16) | (out[p + 2]! << 8) | out[p + 3]!
      const ttl = isStale ? staleTtl : Math.max(0, given - age)
      out[p] = ttl >>> 24
      out[p + 1] = ttl >>> 16
      out[p + 2] = ttl >>> 8
      out[p + 3] = ttl
    }
  }

  /**
   * Keeps the answer that `scan` has read out of m[o ..] and whose question ends at `from` for so many seconds. An answer that
   * is too large is not kept.
   */
  store(key: QuestionKey, scan: AnswerScan, given: StoredMessage, now: number, seconds: number): void {
    const bodyLength = scan.end - given.from
    if (this.#sets === 0 || bodyLength > maxAnswerBytes || 2 * scan.ttlCount > this.#offsets.length) return
    const entry = this.#placeFor(key, now)
    const cells = Math.ceil((key.length + 2 * scan.ttlCount + bodyLength) / cellBytes)
    if (!this.#makeRoom(entry, cells)) return
    const all = this.#fields
    const firstCell = this.#arena.take(cells)
    this.entries += 1
    all[entry + Field.hash1] = key.hash1
    all[entry + Field.hash2] = key.hash2
    all[entry + Field.stored] = now
    all[entry + Field.expires] = now + seconds
    all[entry + Field.retryAt] = now
    all[entry + Field.used] = ++this.#tick
    all[entry + Field.firstCell] = firstCell
    all[entry + Field.cells] = cells
    all[entry + Field.keyLength] = key.length
    all[entry + Field.bodyLength] = bodyLength
    all[entry + Field.ttlCount] = scan.ttlCount
    all[entry + Field.answers] = scan.answers
    all[entry + Field.authorities] = scan.authorities
    all[entry + Field.additionals] = scan.additionals
    all[entry + Field.head] = headOf(scan)
    all[entry + Field.scope] = key.scope
    this.#write(key, scan, given, firstCell)
  }

  /** Number of places for answers. */
  get places(): number {
    return this.#sets * ways
  }

  /**
   * Copies the answer at a place to out[at ..], as a record that `CacheRecords` reads: a whole message with its TTLs as they came.
   * Returns its length; 0 for none, for one that is of no use any more at `now`, and for one that does not fit.
   */
  copyRecord(place: number, now: number, out: Uint8Array, at: number): number {
    const all = this.#fields
    const entry = place * fields
    const keyLength = all[entry + Field.keyLength]!
    const bodyLength = all[entry + Field.bodyLength]!
    const message = at + recordOverhead
    // The key holds the name, the type and a byte of bits; the class takes two.
    const length = recordOverhead + 12 + keyLength + 1 + bodyLength
    if (all[entry + Field.cells] === 0 || !this.isUsable(entry, now) || at + length > out.length) return 0
    const words = [length, all[entry + Field.scope]!, all[entry + Field.stored]!, all[entry + Field.expires]!]
    for (let k = 0; k < 16; k++) out[at + k] = words[k >> 2]! >>> (8 * (k & 3))
    out.fill(0, message, message + 12)
    const head = all[entry + Field.head]!
    out[message + 2] = 0x80
    out[message + 3] = (head & Head.rcode) | ((head & Head.authentic) === 0 ? 0 : 0x20)
    const counts = [1, all[entry + Field.answers]!, all[entry + Field.authorities]!, all[entry + Field.additionals]!]
    for (let k = 0; k < 8; k++) out[message + 4 + k] = counts[k >> 1]! >> (k % 2 === 0 ? 8 : 0)
    const arena = this.#arena
    arena.open(all[entry + Field.firstCell]!)
    arena.read(out, message + 12, keyLength)
    const bits = message + 12 + keyLength - 1
    out[at + 16] = out[bits]!
    out[bits] = 0
    out[bits + 1] = 1
    arena.read(this.#offsets, 0, 2 * all[entry + Field.ttlCount]!)
    arena.read(out, bits + 2, bodyLength)
    return length
  }

  /** Forgets everything. */
  clear(): void {
    this.#fields.fill(0)
    this.#arena.clear()
    this.entries = 0
  }

  #write(key: QuestionKey, scan: AnswerScan, given: StoredMessage, firstCell: number): void {
    for (let k = 0; k < scan.ttlCount; k++) {
      const offset = scan.ttlAt[k]! - given.from
      this.#offsets[2 * k] = offset >> 8
      this.#offsets[2 * k + 1] = offset
    }
    this.#arena.open(firstCell)
    this.#arena.write(key.bytes, 0, key.length)
    this.#arena.write(this.#offsets, 0, 2 * scan.ttlCount)
    this.#arena.write(given.message, given.at + given.from, scan.end - given.from)
  }

  #firstOf(hash1: number): number {
    return ((hash1 >>> 0) % this.#sets) * ways * fields
  }

  /** Returns the place for an answer: its old one, a free one, that of a stale one, or of the least recently used one. */
  #placeFor(key: QuestionKey, now: number): number {
    const known = this.find(key)
    if (known >= 0) return known
    const all = this.#fields
    const first = this.#firstOf(key.hash1)
    let best = first
    let bestRank = Infinity
    for (let e = first; e < first + ways * fields; e += fields) {
      if (all[e + Field.cells] === 0) return e
      const isPast = now >= all[e + Field.expires]! || now < all[e + Field.stored]!
      const rank = (isPast ? -0x1_0000_0000 : 0) + all[e + Field.used]!
      if (rank >= bestRank) continue
      best = e
      bestRank = rank
    }
    return best
  }

  /** Frees a place and so many cells, at the cost of others when it has to be. */
  #makeRoom(entry: number, cells: number): boolean {
    this.#drop(entry)
    for (let tries = 0; this.#arena.free < cells && tries < 256; tries++) {
      this.#hand = (this.#hand + fields) % this.#fields.length
      this.#drop(this.#hand)
    }
    return this.#arena.free >= cells
  }

  #drop(entry: number): void {
    const all = this.#fields
    if (all[entry + Field.cells] === 0) return
    this.#arena.giveBack(all[entry + Field.firstCell]!, all[entry + Field.cells]!)
    all[entry + Field.cells] = 0
    this.entries -= 1
  }
}

/** Position of the answer that is to be stored. */
export interface StoredMessage {
  message: Uint8Array
  at: number
  /** End of its question, counted from `at`. */
  from: number
}

const headOf = (scan: AnswerScan): number =>
  scan.rcode |
  (scan.isAuthentic ? Head.authentic : 0) |
  (scan.hasTargets ? Head.targets : 0) |
  (scan.hasPrivate ? Head.privateAddress : 0) |
  (scan.hasQueriedType ? Head.queriedType : 0)
