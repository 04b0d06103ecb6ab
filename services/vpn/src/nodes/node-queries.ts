import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedQueue, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { LogEntry } from '../dns/log-ring.ts'
import type { Placement } from '../interfaces/placement.ts'
import { invalidField, Problem } from '../problems.ts'
import type { NodeQueryBatch } from '../query-log/node-batches.ts'
import type { Tables } from '../tables.ts'
import type { QueryBatch } from './link-schema.ts'
import { placedClients } from './store.ts'
import type { NodeRow } from './tables.ts'

export interface NodeQueriesDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  readonly placement: Pick<Placement, 'leftAt'>
  /** Writes queries into the log, each batch once. Resolves with the number of the last batch of the node that is in it. */
  readonly write: (batch: NodeQueryBatch) => Promise<number>
}

/** Queries of a peer whose interface left the node count when they were made up to so long after, milliseconds. */
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
  /** Nodes of which a batch waits or is written. */
  readonly #underWay = new Set<string>()

  constructor(dependencies: NodeQueriesDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Writes a batch into the log, unless it is there. Queries of peers that were not on this node at their time are left out. Returns the
   * number of the last batch of the node that is in it. Throws a `Problem` for what no node sends, and for a batch that comes before
   * the answer to another one of the node.
   */
  async take(node: NodeRow, batch: QueryBatch): Promise<number> {
    if (this.#underWay.has(node.id))
      throw new Problem(
        'unavailable',
        'Another batch of this node is being written: send the next one after its answer',
      )
    this.#underWay.add(node.id)
    try {
      return await this.#take(node, batch)
    } finally {
      this.#underWay.delete(node.id)
    }
  }

  async #take(node: NodeRow, batch: QueryBatch): Promise<number> {
    const { clock, log } = this.#dependencies
    const { entries, upstreams } = entriesOf(batch, clock.now())
    const ends = await this.#endsOf(node.id, entries)
    const kept = entries.filter(({ client, at }) => client === 0 || at <= (ends.get(client) ?? -Infinity))
    if (kept.length < entries.length) {
      const what = { node: node.name, entries: entries.length - kept.length }
      log.warn(what, 'queries of peers that are not on the node that sends them were left out')
    }
    const { count, number } = batch
    return this.#write({ nodeId: node.id, count, number, upstreams, entries: kept })
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

  /** Until when the clients of these entries count as clients of a node, by their numbers; those that never did are missing. */
  async #endsOf(nodeId: string, entries: readonly LogEntry[]): Promise<Map<number, number>> {
    const { db, placement } = this.#dependencies
    const numbers = [...new Set(entries.map(({ client }) => client))].filter((client) => client !== 0)
    const ends = new Map<number, number>()
    for (const { dns_number: number, interface: name, ...nodes } of await placedClients(db, numbers)) {
      const isThere = nodes.node_id === nodeId || nodes.standby_node_id === nodeId
      const left = isThere ? Infinity : placement.leftAt(name, nodeId)
      if (left !== undefined) ends.set(number, left + leavingMs)
    }
    return ends
  }
}

/** The entries of a batch, by the clock of this host, and the labels of upstreams that they name, the first as 1; 0 is none. */
function entriesOf(
  { entries: sent, sent_at: sentAt }: QueryBatch,
  now: number,
): { entries: LogEntry[]; upstreams: string[] } {
  const difference = now - sentAt
  const offset = Math.abs(difference) < onTheWayMs ? 0 : difference
  const numbers = new Map<string | null, number>([[null, 0]])
  const entries = sent.map((one, index) => {
    const [at, client, encoded, type, status, reason, source, traits, rcode, label, micros] = one
    if (at > sentAt) throw invalidField(`entries.${index}.0`, 'is a time after sent_at')
    const name = new Uint8Array(Buffer.from(encoded, 'base64url'))
    if (!isWireName(name)) throw invalidField(`entries.${index}.2`, 'is not a domain name in wire form')
    const upstream = numbers.get(label) ?? numbers.size
    numbers.set(label, upstream)
    const decision = { status, reason, source, traits, rcode, type }
    return { ...decision, client, at: at + offset, micros, upstream, name, nameLength: name.length }
  })
  return { entries, upstreams: [...numbers.keys()].filter((label) => label !== null) }
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
