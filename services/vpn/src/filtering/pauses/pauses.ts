import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { notFound } from '../../problems.ts'
import type { Tables } from '../../tables.ts'
import { findProfilePeer } from '../profiles/store.ts'
import type { DnsPeerPause } from './schema.ts'
import * as store from './store.ts'

/** Dependencies of the pauses. */
export interface PeerPausesDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Pick<Timers, 'after' | 'now'>
  readonly log: Pick<Log, 'error'>
  /** Applies that these peers are filtered otherwise; true when that is in force. */
  readonly peersChanged: (ids: readonly string[]) => Promise<boolean>
  /** Called when a pause begins or ends. */
  readonly onPausesChanged?: () => void
}

/** A wait is this long at most: the wall clock may jump, or stand still while the machine sleeps. Milliseconds. */
const lookEvery = 20_000

/** Pauses of single peers: nothing is blocked for one of them for a while. They outlive a restart, and end by themselves. */
export class PeerPauses {
  readonly #dependencies: PeerPausesDependencies
  /** Ends of the pauses, milliseconds since the epoch, by the id of the peer. */
  readonly #until = new Map<string, number>()
  /** Pauses that an administrator ended before their time. */
  readonly #cut = new Map<string, { readonly at: number; readonly until: number }>()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: PeerPausesDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads the pauses that were there before. */
  async open(): Promise<void> {
    const { db, timers } = this.#dependencies
    await store.deleteOverPauses(db, timers.now())
    for (const { peer_id: id, paused_until: until } of await store.allPauseRows(db)) this.#until.set(id, until)
    this.#wait()
  }

  /** The end of a peer's pause, milliseconds since the epoch; null when it is not paused. */
  until(peer: string): number | null {
    const until = this.#until.get(peer) ?? 0
    return until > this.#dependencies.timers.now() ? until : null
  }

  /** The pauses that hold, the next to end first. */
  async list(): Promise<DnsPeerPause[]> {
    const { db, timers } = this.#dependencies
    const rows = await store.namedPauseRows(db, timers.now())
    return rows.map(({ peer_id: id, name, paused_until: until }) => ({
      peer: { id, name },
      paused_until: new Date(until).toISOString(),
    }))
  }

  /**
   * Ends the pause of a peer before its time, for an administrator. Throws a `Problem` when it is not paused. `inForce`: it holds
   * for the next query; otherwise once the resolver answers again.
   */
  async end(peer: string): Promise<{ readonly id: string; readonly name: string; readonly inForce: boolean }> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    const row = (await store.namedPauseRows(db, now)).find(({ peer_id: id }) => id === peer)
    if (row === undefined) throw notFound(`pause of the peer ${peer}`)
    const inForce = await this.resume(peer)
    for (const [id, { until }] of this.#cut) if (until <= now) this.#cut.delete(id)
    this.#cut.set(peer, { at: now, until: row.paused_until })
    return { id: peer, name: row.name, inForce }
  }

  /** When an administrator ended a pause that would still hold, milliseconds since the epoch; null for none. */
  endedAt(peer: string): number | null {
    const cut = this.#cut.get(peer)
    return cut !== undefined && cut.until > this.#dependencies.timers.now() ? cut.at : null
  }

  /** Blocks nothing for a peer until then. Returns true when that is in force. */
  async pause(peer: string, until: number): Promise<boolean> {
    const { db } = this.#dependencies
    if ((await findProfilePeer(db, peer)) === undefined) throw notFound(`peer ${peer}`)
    await store.putPauseRow(db, { peer_id: peer, paused_until: until })
    this.#until.set(peer, until)
    this.#cut.delete(peer)
    this.#wait()
    return this.#changed([peer])
  }

  /** Blocks again for a peer. Returns true when that is in force. */
  async resume(peer: string): Promise<boolean> {
    await store.deletePauseRow(this.#dependencies.db, peer)
    this.#until.delete(peer)
    return this.#changed([peer])
  }

  /** Nothing ends by itself any more. */
  close(): void {
    this.#isClosed = true
    this.#cancel()
  }

  #changed(peers: readonly string[]): Promise<boolean> {
    this.#dependencies.onPausesChanged?.()
    return this.#dependencies.peersChanged(peers)
  }

  #wait(): void {
    this.#cancel()
    if (this.#isClosed || this.#until.size === 0) return
    const { timers, log } = this.#dependencies
    const next = Math.min(...this.#until.values())
    this.#cancel = timers.after(Math.min(Math.max(0, next - timers.now()), lookEvery), () => {
      void this.#endOver().catch((error: unknown) => {
        log.error({ err: error }, 'the resolver was not notified of the end of a pause')
      })
    })
  }

  async #endOver(): Promise<void> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    const over = [...this.#until].filter(([, until]) => until <= now).map(([id]) => id)
    for (const id of over) this.#until.delete(id)
    this.#wait()
    if (over.length === 0) return
    await store.deleteOverPauses(db, now)
    await this.#changed(over)
  }
}
