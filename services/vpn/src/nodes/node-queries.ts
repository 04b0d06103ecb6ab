import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedQueue, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { LogEntry } from '../dns/log-ring.ts'
import { invalidField, Problem } from '../problems.ts'
import type { NodeQueryBatch } from '../query-log/node-batches.ts'
import type { Tables } from '../tables.ts'
import type { LoggedEntry, QueryBatch } from './link-schema.ts'
import { clientsOfNode } from './store.ts'
import type { NodeRow } from './tables.ts'

export interface NodeQueriesDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  /** Writes queries into the log, each batch once. Resolves with the number of the last batch of the node that is in it. */
  readonly write: (batch: NodeQueryBatch) => Promise<number>
}

/** A peer that left its node still counts for so long, milliseconds: the node sends what it answered before. */
const leavingMs = 600_000
/** A difference between two clocks that the way of a message explains, milliseconds. */
const onTheWayMs = 2000
/** Batches that wait, at most: one of each node. */
const maxWaiting = 50
/** Pause after a batch as a multiple of the time that it took, so that nodes that come back after a day leave the log its time. */
const pauseFactor = 2
/** Longest such pause, milliseconds: a batch that waited for the resolver to start took no time of the log. */
const maxPauseMs = 500

/** Takes over the queries that nodes answered, one batch after the other. */
export class NodeQueries {
  readonly #dependencies: NodeQueriesDependencies
  readonly #queue = createKeyedQueue(maxWaiting)
  /** When a client was last found on a node, by node and number. */
  readonly #recent = new Map<string, number>()

  constructor(dependencies: NodeQueriesDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Writes a batch into the log, unless it is there. Queries of peers that are not on this node are left out. Returns the number of the
   * last batch of the node that is in it. Throws a `Problem` for what no node sends.
   */
  async take(node: NodeRow, batch: QueryBatch): Promise<number> {
    const { clock, log } = this.#dependencies
    const now = clock.now()
    const entries = entriesOf(batch, now)
    const own = await this.#clientsOf(node.id, entries, now)
    const kept = entries.filter(({ client }) => client === 0 || own.has(client))
    if (kept.length < entries.length) {
      const what = { node: node.name, entries: entries.length - kept.length }
      log.warn(what, 'queries of peers that are not on the node that sends them were left out')
    }
    const { labels, numbered } = numberLabels(batch.entries)
    for (const [index, entry] of entries.entries()) entry.upstream = numbered[index] ?? 0
    const { count, number } = batch
    return this.#write({ nodeId: node.id, count, number, upstreams: labels, entries: kept })
  }

  #write(batch: NodeQueryBatch): Promise<number> {
    // The answer comes as soon as the batch is written, the next batch after a pause.
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const written = this.#queue.run('log', async () => {
      const begin = performance.now()
      await this.#dependencies
        .write(batch)
        .then(resolve, (error: Error) =>
          reject(new Problem('unavailable', `The query log takes nothing at the moment: ${error.message}`)),
        )
      await pause(Math.min(maxPauseMs, (performance.now() - begin) * pauseFactor))
    })
    written.catch(() => reject(new Problem('unavailable', 'Too many nodes send queries: try again later')))
    return promise
  }

  /** The clients of these entries that are on a node, or were just now. */
  async #clientsOf(nodeId: string, entries: readonly LogEntry[], now: number): Promise<Set<number>> {
    for (const [key, at] of this.#recent) if (now - at > leavingMs) this.#recent.delete(key)
    const numbers = [...new Set(entries.map(({ client }) => client))].filter((client) => client !== 0)
    for (const number of await clientsOfNode(this.#dependencies.db, nodeId, numbers))
      this.#recent.set(`${nodeId} ${number}`, now)
    return new Set(numbers.filter((number) => this.#recent.has(`${nodeId} ${number}`)))
  }
}

/** The entries of a batch, by the clock of this host. */
function entriesOf({ entries, sent_at: sentAt }: QueryBatch, now: number): LogEntry[] {
  const difference = now - sentAt
  const offset = Math.abs(difference) < onTheWayMs ? 0 : difference
  return entries.map((sent, index) => {
    const [at, client, encoded, type, status, reason, source, traits, rcode, , micros] = sent
    if (at > sentAt) throw invalidField(`entries.${index}.0`, 'is a time after sent_at')
    const name = new Uint8Array(Buffer.from(encoded, 'base64url'))
    if (!isWireName(name)) throw invalidField(`entries.${index}.2`, 'is not a domain name in wire form')
    const decision = { status, reason, source, traits, rcode, type }
    return { ...decision, client, at: at + offset, micros, upstream: 0, name, nameLength: name.length }
  })
}

/** Numbers the labels of upstreams: the labels, and the number of each entry's, 0 for none. */
function numberLabels(entries: readonly LoggedEntry[]): { labels: string[]; numbered: number[] } {
  const numbers = new Map<string, number>()
  const numbered = entries.map(({ 9: label }) => {
    if (label === null) return 0
    const number = numbers.get(label) ?? numbers.size + 1
    numbers.set(label, number)
    return number
  })
  return { labels: [...numbers.keys()], numbered }
}

/** Returns true for labels of up to 63 bytes in lower case, with the final zero. */
function isWireName(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.length > 255) return false
  let at = 0
  for (let size = bytes[at]; size !== undefined && size !== 0; size = bytes[at]) {
    if (size > 63) return false
    if (bytes.subarray(at + 1, at + 1 + size).some((byte) => byte >= 65 && byte <= 90)) return false
    at += size + 1
  }
  return at === bytes.length - 1
}
