import { z } from 'zod'
import { maxTraffic, TrafficBatch } from '../nodes/link-schema.ts'
import type { PeerState } from '../wireguard/device.ts'

/** Traffic of one peer, as a batch holds it. */
const PeerTraffic = TrafficBatch.shape.peers.element
type PeerTraffic = z.infer<typeof PeerTraffic>

/** Traffic between two times, milliseconds since the epoch, that was never sent and so has no number yet. */
const TrafficSpan = z.object({ since: z.int(), at: z.int().min(0), peers: z.array(PeerTraffic) })
type TrafficSpan = z.infer<typeof TrafficSpan>

/** Counters of a peer that are in the journal already: bytes from it and to it, and its last handshake. */
const Seen = z.tuple([z.int().min(0), z.int().min(0), z.int().nullable()])
type Seen = z.infer<typeof Seen>
type SeenPeers = ReadonlyMap<string, Seen>

/**
 * The journal as it stands on the disk. What was counted and the counters that it was counted from are in one file: a crash at any
 * moment leaves both old or both new.
 */
export const StoredJournal = z.object({
  count: z.uuid(),
  /** Number of the last batch that has one. */
  last: z.int().min(0),
  /** End of the last span. */
  until: z.int(),
  /** Batches with a number: they may have been sent, and stay as they are until they are confirmed. */
  numbered: z.array(TrafficBatch),
  spans: z.array(TrafficSpan),
  /** By interface and public key. */
  seen: z.record(z.string(), z.record(z.string(), Seen)),
})
export type StoredJournal = z.infer<typeof StoredJournal>

/** Spans that wait at most, and entries for a peer in all of them. When there are more, neighbours become one span. */
const maxWaiting = { spans: 240, entries: 10_000 } as const

/** Entries for a peer in one report, at most: 780 kB with the longest texts. */
const maxEntriesOfReport = 3000

/** Readings of devices by interface; undefined for a device that does not exist. One that could not be read is left out. */
export type Readings = ReadonlyMap<string, ReadonlyMap<string, PeerState> | undefined>

/** Traffic of the peers of this node until the service has written it down. Pure: keeping it on the disk is done elsewhere. */
export class TrafficJournal {
  readonly #isLost: boolean
  #count: string
  #last: number
  #until: number
  #numbered: TrafficBatch[]
  #spans: TrafficSpan[]
  readonly #seen: Map<string, Map<string, Seen>>

  /** With `isLost` the journal of devices that ran before is gone: what they counted until now was counted or is lost. */
  constructor({ count, last, until, numbered, spans, seen }: StoredJournal, isLost = false) {
    this.#isLost = isLost
    this.#count = count
    this.#last = last
    this.#until = until
    this.#numbered = [...numbered]
    this.#spans = [...spans]
    this.#seen = new Map(Object.entries(seen).map(([name, peers]) => [name, new Map(Object.entries(peers))]))
  }

  /** Name of the count that the numbers belong to. */
  get count(): string {
    return this.#count
  }

  /** True while there is traffic that was not confirmed. */
  get isWaiting(): boolean {
    return this.#numbered.length > 0 || this.#spans.length > 0
  }

  /** Adds what the devices counted since the last time, as one span. Returns false when that changes nothing. */
  take(readings: Readings, now: number): boolean {
    let isChanged = false
    const peers: PeerTraffic[] = []
    for (const [name, states] of readings) {
      const known = this.#seen.get(name)
      if (states === undefined) isChanged = this.#seen.delete(name) || isChanged
      else {
        if (known !== undefined || !this.#isLost)
          for (const [key, state] of states) peers.push(...trafficOf(name, state, known?.get(key)))
        const seen = new Map([...states].map(([key, state]) => [key, seenOf(state)]))
        isChanged ||= !isSame(known, seen)
        this.#seen.set(name, seen)
      }
    }
    if (peers.length > 0) this.#spans.push({ since: this.#until, at: now, peers })
    this.#until = now
    this.#limit()
    return isChanged
  }

  /**
   * Returns the batches to send, the unconfirmed ones first. New ones have numbers from now on: they must be on the disk before
   * they are sent.
   */
  number(): { readonly batches: readonly TrafficBatch[]; readonly isChanged: boolean } {
    const before = this.#last
    for (let span = this.#spans[0]; span !== undefined; span = this.#spans[0]) {
      const entries = entriesOf(this.#numbered)
      const room = Math.min(maxTraffic.peers, maxEntriesOfReport - entries)
      const isWhole = span.peers.length <= room
      // A span is cut only where it would not fit into a report of its own.
      const isFull = this.#numbered.length >= maxTraffic.batches || (!isWhole && entries > 0)
      if (isFull) break
      this.#last += 1
      this.#numbered.push({ number: this.#last, at: span.at, peers: span.peers.slice(0, room) })
      if (isWhole) this.#spans.shift()
      else this.#spans[0] = { ...span, peers: span.peers.slice(room) }
    }
    return { batches: [...this.#numbered], isChanged: this.#last !== before }
  }

  /**
   * Forgets the batches that the service has written down, up to this number. A number that was never given means that the disk
   * holds an older journal than the service knows; `newCount` names the count that begins then.
   */
  confirm(counted: number, newCount: () => string): void {
    this.#numbered = this.#numbered.filter(({ number }) => number > counted)
    if (counted <= this.#last) return
    this.#count = newCount()
    this.#last = 0
  }

  /** Returns what is to stand on the disk. */
  stored(): StoredJournal {
    return {
      count: this.#count,
      last: this.#last,
      until: this.#until,
      numbered: this.#numbered,
      spans: this.#spans,
      seen: Object.fromEntries([...this.#seen].map(([name, peers]) => [name, Object.fromEntries(peers)])),
    }
  }

  /** Makes neighbours one span, those first that are shortest together and of these the oldest: all become coarser evenly. */
  #limit(): void {
    while (this.#spans.length > 1) {
      if (this.#spans.length <= maxWaiting.spans && entriesOf(this.#spans) <= maxWaiting.entries) return
      const lengths = this.#spans.slice(1).map((next, index) => next.at - (this.#spans[index]?.since ?? next.at))
      const at = lengths.indexOf(Math.min(...lengths))
      this.#spans.splice(at, 2, ...joined(this.#spans.slice(at, at + 2)))
    }
  }
}

const entriesOf = (lists: readonly { readonly peers: readonly unknown[] }[]): number =>
  lists.reduce((sum, { peers }) => sum + peers.length, 0)

const seenOf = ({ rxBytes, txBytes, latestHandshake }: PeerState): Seen => [rxBytes, txBytes, latestHandshake]

function isSame(before: SeenPeers | undefined, after: SeenPeers): boolean {
  return before?.size === after.size && [...after].every(([key, seen]) => String(before.get(key)) === String(seen))
}

/** Traffic of a peer since it was seen last; nothing without traffic or a new handshake. */
function trafficOf(name: string, state: PeerState, seen: Seen = [0, 0, null]): PeerTraffic[] {
  const { publicKey, latestHandshake, endpoint } = state
  const [rx, tx] = [grown(seen[0], state.rxBytes), grown(seen[1], state.txBytes)]
  const isNewHandshake = latestHandshake !== null && latestHandshake !== seen[2]
  if (rx === 0 && tx === 0 && !isNewHandshake) return []
  return [{ interface: name, public_key: publicKey, rx, tx, latest_handshake: latestHandshake, endpoint }]
}

/** A counter that went down began again at zero, so all of it is new. */
const grown = (seen: number, now: number): number => (now >= seen ? now - seen : now)

/** Adds spans up; what is newer holds for handshakes and endpoints. */
function joined(spans: readonly TrafficSpan[]): TrafficSpan[] {
  const [first, last] = [spans[0], spans.at(-1)]
  if (first === undefined || last === undefined) return []
  const peers = new Map<string, PeerTraffic>()
  for (const one of spans.flatMap((span) => span.peers)) {
    const key = `${one.interface} ${one.public_key}`
    const before = peers.get(key)
    peers.set(key, before === undefined ? one : addedUp(before, one))
  }
  return [{ since: first.since, at: last.at, peers: [...peers.values()] }]
}

const addedUp = (before: PeerTraffic, after: PeerTraffic): PeerTraffic => ({
  ...after,
  rx: before.rx + after.rx,
  tx: before.tx + after.tx,
  latest_handshake: after.latest_handshake ?? before.latest_handshake,
  endpoint: after.endpoint ?? before.endpoint,
})
