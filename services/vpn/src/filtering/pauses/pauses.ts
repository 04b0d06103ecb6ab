import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { notFound } from '../../problems.ts'
import type { Tables } from '../../tables.ts'
import { findProfilePeer } from '../profiles/store.ts'
import * as store from './store.ts'

/** Dependencies of the pauses. */
export interface PeerPausesDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Pick<Timers, 'after' | 'now'>
  readonly log: Pick<Log, 'error'>
  /** Applies that these peers are filtered otherwise; true when that is in force. */
  readonly peersChanged: (ids: readonly string[]) => Promise<boolean>
}

/** A wait is this long at most: the wall clock may jump, or stand still while the machine sleeps. Milliseconds. */
const lookEvery = 20_000

/** Pauses of single peers: nothing is blocked for one of them for a while. They outlive a restart, and end by themselves. */
export class PeerPauses {
  readonly #dependencies: PeerPausesDependencies
  /** Ends of the pauses, milliseconds since the epoch, by the id of the peer. */
  readonly #until = new Map<string, number>()
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

  /** Blocks nothing for a peer until then. Returns true when that is in force. */
  async pause(peer: string, until: number): Promise<boolean> {
    const { db, peersChanged } = this.#dependencies
    if ((await findProfilePeer(db, peer)) === undefined) throw notFound(`peer ${peer}`)
    await store.putPauseRow(db, { peer_id: peer, paused_until: until })
    this.#until.set(peer, until)
    this.#wait()
    return peersChanged([peer])
  }

  /** Blocks again for a peer. Returns true when that is in force. */
  async resume(peer: string): Promise<boolean> {
    const { db, peersChanged } = this.#dependencies
    await store.deletePauseRow(db, peer)
    this.#until.delete(peer)
    return peersChanged([peer])
  }

  /** Nothing ends by itself any more. */
  close(): void {
    this.#isClosed = true
    this.#cancel()
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
    const { db, timers, peersChanged } = this.#dependencies
    const now = timers.now()
    const over = [...this.#until].filter(([, until]) => until <= now).map(([id]) => id)
    for (const id of over) this.#until.delete(id)
    this.#wait()
    if (over.length === 0) return
    await store.deleteOverPauses(db, now)
    await peersChanged(over)
  }
}
