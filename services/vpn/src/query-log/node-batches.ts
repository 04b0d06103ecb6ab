import type { DatabaseSync } from 'node:sqlite'
import type { LogEntry } from '../dns/log-ring.ts'
import type { Forgetting } from './upkeep.ts'

/** Queries that a node answered, for the log. Each batch is written once, however often it comes. */
export interface NodeQueryBatch {
  readonly nodeId: string
  /** The count that the number belongs to. */
  readonly count: string
  /** Place in the order of the node's batches. */
  readonly number: number
  /** Labels of the upstreams that entries name, the first as 1. */
  readonly upstreams: readonly string[]
  readonly entries: readonly LogEntry[]
}

/** Purges are remembered for so long, milliseconds: nodes keep queries for less. */
const rememberMs = 30 * 86_400_000
/** Places of nodes that were not heard of for so long go, milliseconds. */
const silentMs = 400 * 86_400_000
/** Stands for all clients. */
const allClients = -1

/** Makes the tables of what nodes send, where they are not there. */
export function createNodeTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS node_batch (node TEXT PRIMARY KEY, count TEXT NOT NULL, number INTEGER NOT NULL,
      at INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS forgotten (client INTEGER PRIMARY KEY, before INTEGER NOT NULL);
  `)
}

/** Returns the number of the last batch of a node that is in the log; 0 for none of this count. */
export function lastBatchOf(
  database: DatabaseSync,
  { nodeId, count }: Pick<NodeQueryBatch, 'nodeId' | 'count'>,
): number {
  const row = database.prepare('SELECT number FROM node_batch WHERE node = ? AND count = ?').get(nodeId, count)
  return (row as { number: number } | undefined)?.number ?? 0
}

/** Notes that a batch is in the log; in the transaction that writes its entries. */
export function noteBatch(database: DatabaseSync, { nodeId, count, number }: NodeQueryBatch, now: number): void {
  database.prepare('INSERT OR REPLACE INTO node_batch VALUES (?, ?, ?, ?)').run(nodeId, count, number, now)
  database.prepare('DELETE FROM node_batch WHERE at < ?').run(now - silentMs)
}

/** Remembers a purge: what comes later from nodes and was made before it is not written. */
export function notePurge(database: DatabaseSync, { before, client }: Forgetting, now: number): void {
  const until = Math.min(before, now)
  database
    .prepare(
      `INSERT INTO forgotten VALUES (?, ?) ON CONFLICT (client) DO UPDATE SET before = max(before, excluded.before)`,
    )
    .run(client ?? allClients, until)
  database.prepare('DELETE FROM forgotten WHERE before < ?').run(now - rememberMs)
  if (client === null)
    database.prepare('DELETE FROM forgotten WHERE before <= ? AND client <> ?').run(until, allClients)
}

/** Reads until when queries are forgotten, by client. */
export function forgottenUntil(database: DatabaseSync): (client: number) => number {
  const rows = database.prepare('SELECT client, before FROM forgotten').all() as unknown as {
    client: number
    before: number
  }[]
  const times = new Map(rows.map(({ client, before }) => [client, before]))
  const ofAll = times.get(allClients) ?? -Infinity
  return (client) => Math.max(ofAll, times.get(client) ?? -Infinity)
}
