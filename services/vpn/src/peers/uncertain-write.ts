import type { PeerActivityRow } from '../tables.ts'
import { isActivityWritten } from './activity-store.ts'
import type { Followed } from './followed-peer.ts'
import type { SamplerDependencies } from './sampler-dependencies.ts'

/** A write of the sampler that failed, although the database may have it: the connection can break while it is committed. */
export class UncertainWrite {
  readonly #dependencies: Pick<SamplerDependencies, 'database' | 'traffic'>
  /** Peers of which more stands in buckets than before, with their rows; undefined when all is certain. */
  #written: Map<Followed, PeerActivityRow> | undefined

  constructor(dependencies: Pick<SamplerDependencies, 'database' | 'traffic'>) {
    this.#dependencies = dependencies
  }

  /** Notes that the write of these rows failed; they are those of the peers. */
  failed(peers: readonly Followed[], rows: readonly PeerActivityRow[]): void {
    const written = peers.flatMap((peer, index) => {
      const row = rows[index]
      const { rx, tx } = peer.bucketed
      return row === undefined || (row.rx_bucketed === rx && row.tx_bucketed === tx) ? [] : [[peer, row] as const]
    })
    this.#written = new Map(written)
  }

  /** Finds out whether it was committed after all, so that its buckets are not added a second time. */
  async settle(): Promise<void> {
    const written = this.#written
    if (written === undefined) return
    const isCommitted = await isActivityWritten(this.#dependencies.database.query, [...written.values()])
    this.#written = undefined
    this.#dependencies.traffic?.settle(isCommitted)
    if (isCommitted) for (const [peer, { rx_bucketed: rx, tx_bucketed: tx }] of written) peer.bucketed = { rx, tx }
  }
}
