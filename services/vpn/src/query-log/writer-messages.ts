import type { ResolverClient, WatchedQueries } from '../dns/resolver-files.ts'
import type { NodeQueryBatch } from './node-batches.ts'
import type { WatchReport } from '../hints/watch-report.ts'

/** A peer as the log names it. */
export type LogClient = Pick<ResolverClient, 'number' | 'id' | 'name' | 'addresses'>

/** Start data of the writer thread, its `workerData`. */
export interface WriterStart {
  /** One for each thread that answers queries; see `createRingMemory`. */
  readonly rings: readonly SharedArrayBuffer[]
  /** Path of the database; its folder exists. */
  readonly file: string
  /** Days an entry is kept; 0 keeps none. */
  readonly retentionDays: number
  readonly watched: WatchedQueries
  /** See the message `upstreams`: entries that wait name them already. */
  readonly upstreams?: readonly string[]
}

/** To the writer thread. */
export type ToWriter =
  | { readonly type: 'settings'; readonly retentionDays: number; readonly watched: WatchedQueries }
  /** All peers there are; those that are missing are gone, and keep their last name as long as entries of theirs are kept. */
  | { readonly type: 'clients'; readonly clients: readonly LogClient[] }
  /** Peers that are new or changed, and the numbers of those that are gone. */
  | {
      readonly type: 'clients-changed'
      readonly set: readonly LogClient[]
      readonly removed: readonly number[]
    }
  /** Names of the upstreams as entries count them: the first is 1. Without paths, they may hold a secret. */
  | { readonly type: 'upstreams'; readonly labels: readonly string[] }
  /** Deletes the queries before a time (milliseconds since the epoch), by one client or by all (null). */
  | { readonly type: 'purge'; readonly id?: number; readonly before: number; readonly client: number | null }
  /** Writes queries that a node answered. */
  | { readonly type: 'batch'; readonly id: number; readonly batch: NodeQueryBatch }
  /** Writes what the rings hold, then ends. */
  | { readonly type: 'stop' }

/** From the writer thread. */
export type FromWriter =
  /** Entries were written; `lost` is the number that found no room or could not be written, since the start. */
  | { readonly type: 'wrote'; readonly count: number; readonly lost: number }
  /** A purge is over: `removed` entries are gone, from the file too unless `error` says otherwise. */
  | {
      readonly type: 'done'
      readonly task: 'purge'
      readonly id: number | undefined
      readonly removed: number
      readonly error: string | null
    }
  /** A batch of a node is in the log, and `last` is the number of its last one there; `error` says why it is not. */
  | {
      readonly type: 'done'
      readonly task: 'batch'
      readonly id: number
      readonly last: number
      readonly error: string | null
    }
  /** Queries that were written show something unusual, or were blocked by a list. */
  | { readonly type: 'noticed'; readonly report: WatchReport }
  /** Everything is written; the thread ends. */
  | { readonly type: 'done'; readonly task: 'stop'; readonly error: string | null }
  /** Reason why the log cannot be written, in words; null when that is over. */
  | { readonly type: 'failure'; readonly message: string | null }
