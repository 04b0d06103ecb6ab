import { createKeyedQueue, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { networksBehind } from '../interfaces/desired-devices.ts'
import type { Placement } from '../interfaces/placement.ts'
import type { PeerRow, Tables } from '../tables.ts'
import type { LimitTable } from '../wireguard/limit-table.ts'
import type { PeerLimit } from '../wireguard/limit-text.ts'
import { type LimitedPeerRow, limitedPeerRows, limitedPeerRowsOf } from './store.ts'

/** Columns for the bandwidth members of a body; those that were left out are not among them. */
export function limitColumns(input: {
  limit_down?: number | null | undefined
  limit_up?: number | null | undefined
}): Partial<Pick<PeerRow, 'limit_down' | 'limit_up'>> {
  const kilobits = (value: number | null) => (value === null ? null : Math.round(value * 1000))
  return {
    ...(input.limit_down === undefined ? {} : { limit_down: kilobits(input.limit_down) }),
    ...(input.limit_up === undefined ? {} : { limit_up: kilobits(input.limit_up) }),
  }
}

/** The bandwidth members of a peer, Mbit/s. */
export function limitView(row: Pick<PeerRow, 'limit_down' | 'limit_up'>) {
  const megabits = (value: number | null) => (value === null ? null : value / 1000)
  return { limit_down: megabits(row.limit_down), limit_up: megabits(row.limit_up) }
}

/** A peer before and after a change; undefined when it was not, or will not be, there. */
interface LimitTransition {
  readonly before: LimitedPeerRow | undefined
  readonly after: LimitedPeerRow | undefined
}

/** What a used-up quota does to a peer: its packets are dropped, or it is slowed down, both ways. */
export type PeerRestriction = 'stop' | { readonly kilobits: number }

export interface LimitDependencies {
  readonly db: Kysely<Tables>
  readonly table: LimitTable
  readonly placement: Pick<Placement, 'isHere' | 'changed'>
  readonly log: Log
  /** The restriction of a peer at the moment; undefined for none. */
  readonly restriction: (id: string) => PeerRestriction | undefined
}

/** Bandwidth limits of peers: what the database says is what the kernel keeps to, and the nodes are notified of. */
export class PeerLimits {
  readonly #dependencies: LimitDependencies
  /** What is read is put in force before anything else is read. */
  readonly #queue = createKeyedQueue(1000)

  constructor(dependencies: LimitDependencies) {
    this.#dependencies = dependencies
  }

  /** Puts the limits of all peers in force. A failure is logged; the check of the tunnels tries again. */
  async reload(): Promise<void> {
    const { db, table, log } = this.#dependencies
    try {
      await this.#withLock(async () => {
        const rows = await limitedPeerRows(db)
        await table.replace(rows.flatMap((row) => this.#limitHere(row) ?? []))
      })
    } catch (error) {
      log.error({ err: error }, 'the bandwidth limits could not be put in force')
    }
  }

  /** Puts the limits of peers in force whose restriction is another now. Throws a `DeviceError`; nothing changed then. */
  refresh(ids: readonly string[]): Promise<void> {
    const { db, table, placement } = this.#dependencies
    return this.#withLock(async () => {
      const rows = await limitedPeerRowsOf(db, ids)
      await table.change(
        ids,
        rows.flatMap((row) => this.#limitHere(row) ?? []),
      )
      for (const name of new Set(rows.map((row) => row.interface))) placement.changed(name)
    })
  }

  /** Reads the limits of the peers on these interfaces, wherever they run. */
  async read(names: ReadonlySet<string>): Promise<PeerLimit[]> {
    const rows = (await limitedPeerRows(this.#dependencies.db)).filter((row) => names.has(row.interface))
    return rows.flatMap((row) => this.#limitOf(row) ?? [])
  }

  /** Puts the limits of changed peers in force, and touches nothing when they stay. Throws a `DeviceError`; nothing changed then. */
  async changed(transitions: readonly LimitTransition[]): Promise<void> {
    const differing = transitions
      .map(({ before, after }) => ({
        id: (before ?? after)?.id ?? '',
        was: this.#limitHere(before),
        willBe: this.#limitHere(after),
      }))
      .filter(({ was, willBe }) => JSON.stringify(was) !== JSON.stringify(willBe))
    if (differing.length === 0) return
    await this.#withLock(() =>
      this.#dependencies.table.change(
        differing.map(({ id }) => id),
        differing.flatMap(({ willBe }) => willBe ?? []),
      ),
    )
  }

  /** The limit that is in force on this host; undefined for a peer on a node. */
  #limitHere(row: LimitedPeerRow | undefined): PeerLimit | undefined {
    return row !== undefined && this.#dependencies.placement.isHere(row.interface) ? this.#limitOf(row) : undefined
  }

  #limitOf(row: LimitedPeerRow | undefined): PeerLimit | undefined {
    return row && limitOf(row, this.#dependencies.restriction(row.id))
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('limits', work)
  }
}

/** Bytes a second of one kbit/s. */
const bytesPerKilobit = 125

function limitOf(row: LimitedPeerRow, restriction: PeerRestriction | undefined): PeerLimit | undefined {
  if (row.limit_down === null && row.limit_up === null && restriction === undefined) return undefined
  const slowest = typeof restriction === 'object' ? restriction.kilobits : Infinity
  const bytes = (kilobits: number | null) => {
    const least = Math.min(kilobits ?? Infinity, slowest)
    return least === Infinity ? null : least * bytesPerKilobit
  }
  return {
    id: row.id,
    interface: row.interface,
    addresses: row.ipv6 === null ? [row.ip] : [row.ip, row.ipv6],
    networks: networksBehind(row),
    down: bytes(row.limit_down),
    up: bytes(row.limit_up),
    isStopped: restriction === 'stop',
  }
}
