import type { Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { PeerConnectionRow, Tables } from '../tables.ts'
import {
  beginConnection,
  type Connection,
  type ConnectionFacts,
  countUp,
  followConnection,
  resumeConnection,
  rowOfConnection,
} from './connection.ts'
import { openConnectionRows, readSampledAt, writeConnectionRows, writeSampledAt } from './store.ts'

/** Time without a sample after which nothing is known of a connection, milliseconds. It then ended at its last sample. */
const maxGap = 600_000
/** Connections written in one round, so that thousands that end at once do not make one round long. */
const writtenAtOnce = 1000
/** A new address of a connection is written after so many milliseconds at the latest. */
const addressResolution = 30_000
/** The time of the last sample is written this often while anybody is connected, milliseconds. */
const sampledResolution = 10_000

/** A peer after a sample. */
interface Sampled {
  readonly id: string
  readonly activity: ConnectionFacts
  /** Connected at the moment. */
  readonly isOn: boolean
}

interface Known {
  /** The last handshake that a connection ended with; the next one begins with another. */
  handshake: number | null
  open: Connection | undefined
}

/** Reads the connections that were open when the last process ended. A handshake lasts `lifetime` milliseconds. */
export async function openConnections(
  { query }: Pick<Database<Tables>, 'query'>,
  lifetime: number,
): Promise<ConnectionRecorder> {
  return new ConnectionRecorder(await openConnectionRows(query), { sampledAt: await readSampledAt(query), lifetime })
}

/**
 * Follows when peers are connected. A connection begins with a handshake and ends when the last one is out of date or the peer
 * is cut off. Only begin, end and addresses are written; the bytes of an open one follow from the totals of its peer.
 */
export class ConnectionRecorder {
  readonly #peers = new Map<string, Known>()
  readonly #stored: ReadonlyMap<string, PeerConnectionRow>
  readonly #sampledAt: number
  readonly #lifetime: number
  readonly #pending = new Set<Connection>()
  #batch: Connection[] = []
  #openCount = 0
  #isFinal = false
  #heartbeat = { due: 0, written: Number.NEGATIVE_INFINITY }

  constructor(
    stored: readonly PeerConnectionRow[],
    context: { readonly sampledAt: number; readonly lifetime: number },
  ) {
    this.#stored = new Map(stored.map((row) => [row.peer_id, row]))
    this.#sampledAt = context.sampledAt
    this.#lifetime = context.lifetime
  }

  /** Takes over a stored peer, before its first sample. Returns true if it is in a connection. */
  load(id: string, facts: ConnectionFacts): boolean {
    const row = this.#stored.get(id)
    const open = row && resumeConnection(row, facts, this.#sampledAt)
    if (open !== undefined) this.#openCount += 1
    this.#peers.set(id, { handshake: facts.last_handshake, open })
    return open !== undefined
  }

  /** Takes over a sample of a peer that is connected, or was in the sample before. */
  observe({ id, activity, isOn }: Sampled, before: ConnectionFacts, now: number): void {
    this.#heartbeat.due = now
    const peer = this.#peers.get(id) ?? { handshake: null, open: undefined }
    const { open } = peer
    if (open !== undefined) {
      // Counters of the device that began again belong to a device that did.
      const isReset = activity.rx_seen < before.rx_seen || activity.tx_seen < before.tx_seen
      if (isReset || now - open.lastSeen > maxGap) {
        this.#end(peer, { at: open.lastSeen, handshake: before.last_handshake })
      } else {
        followConnection(open, activity, now)
        if (!isOn) this.#endBy(peer, now)
        else if (open.isStale && now - open.writtenAt >= addressResolution) this.#pending.add(open)
      }
    }
    if (peer.open !== undefined || !isOn || activity.last_handshake === peer.handshake) return
    peer.open = beginConnection(id, { before, after: activity, now })
    this.#peers.set(id, peer)
    this.#openCount += 1
    this.#pending.add(peer.open)
  }

  /** The last handshake ran out, or the peer was cut off before. */
  #endBy(peer: Known, now: number): void {
    const handshake = peer.open?.facts.last_handshake ?? null
    this.#end(peer, { at: Math.min(now, (handshake ?? now) + this.#lifetime), handshake })
  }

  #end(peer: Known, { at, handshake }: { at: number; handshake: number | null }): void {
    const { open } = peer
    if (open === undefined) return
    open.ended = Math.max(open.began, at)
    this.#pending.add(open)
    this.#openCount -= 1
    peer.open = undefined
    peer.handshake = handshake
  }

  /** Drops a deleted peer. */
  forget(id: string): void {
    if (this.#peers.get(id)?.open !== undefined) this.#openCount -= 1
    this.#peers.delete(id)
    for (const connection of this.#pending) if (connection.peerId === id) this.#pending.delete(connection)
  }

  /** The connection of a peer that lasts, up to the last sample. */
  current(id: string): Readonly<Connection> | undefined {
    const open = this.#peers.get(id)?.open
    if (open !== undefined) countUp(open)
    return open
  }

  /** Makes the next writing the last one: everything goes into it. */
  writeAll(): void {
    this.#isFinal = true
    for (const { open } of this.#peers.values()) if (open?.isStale === true) this.#pending.add(open)
  }

  /** Returns true if there is something to write. */
  isDue(): boolean {
    return this.#pending.size > 0 || this.#isHeartbeatDue()
  }

  #isHeartbeatDue(): boolean {
    const { due, written } = this.#heartbeat
    return (
      this.#openCount > 0 && due > written && (this.#isFinal || due - written >= sampledResolution || due < written)
    )
  }

  /** Writes what began, ended or moved; `end` must follow, with whether the transaction was committed. */
  async write(trx: Kysely<Tables>): Promise<void> {
    this.#batch = [...this.#pending].slice(0, this.#isFinal ? undefined : writtenAtOnce)
    await writeConnectionRows(trx, this.#batch.map(rowOfConnection))
    if (this.#openCount > 0) await writeSampledAt(trx, this.#heartbeat.due)
  }

  /** Ends a write: its connections are stored, or are to be written again. */
  end(isCommitted: boolean): void {
    const written = this.#batch.splice(0)
    if (!isCommitted) return
    this.#heartbeat.written = this.#heartbeat.due
    for (const connection of written) {
      this.#pending.delete(connection)
      connection.isStale = false
      connection.writtenAt = connection.lastSeen
    }
  }
}
