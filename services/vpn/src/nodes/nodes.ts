import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '@hearth/database'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Listener } from '../dns/resolver-files.ts'
import { nameKey } from '../envelope.ts'
import { conflict, namedConflict, notFound, Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { NodeAuthority } from './authority.ts'
import { createJoinToken } from './join-token.ts'
import type { Node, NodeCreate, NodeJoin, NodeJoinTokenCreate, NodeList, NodeUpdate } from './schema.ts'
import * as store from './store.ts'

const hour = 3_600_000

/** Nodes of one installation, at most. */
const maxNodes = 50

/** A node is lost when nothing was heard of it for so long, milliseconds: three reports. */
export const lostAfterMs = 90_000

export interface NodesDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly authority: Pick<NodeAuthority, 'read'>
  /** Addresses at which nodes are listened for; none while nodes are off. */
  readonly listeners: readonly Listener[]
}

/** Who adds a node or renews its token, and the host at which this service is reached from outside. */
export interface NodeContext {
  /** User name; null for the command line. */
  readonly by: string | null
  readonly host: string
}

/** The nodes of an installation, as operators manage them. */
export class Nodes {
  readonly #dependencies: NodesDependencies
  readonly #db: Kysely<Tables>
  /** Nodes cannot report before. */
  readonly #startedAt: number

  constructor(dependencies: NodesDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
    this.#startedAt = dependencies.clock.now()
  }

  /** True when nodes may join. */
  get isEnabled(): boolean {
    return this.#dependencies.listeners.length > 0
  }

  async list(): Promise<NodeList> {
    const rows = await store.allNodeRows(this.#db)
    return { enabled: this.isEnabled, nodes: rows.map((row) => this.#view(row)) }
  }

  /** Nodes that are lost; none while nodes are off. */
  async lost(): Promise<Node[]> {
    if (!this.isEnabled) return []
    return (await this.list()).nodes.filter(({ status }) => status === 'lost')
  }

  /** Adds a node that is to join with the token of the result. */
  async create(input: NodeCreate, context: NodeContext): Promise<NodeJoin> {
    this.#checkEnabled()
    const { clock, database } = this.#dependencies
    const row = {
      id: randomUUIDv7(),
      name: input.name,
      name_key: nameKey(input.name),
      created_at: clock.now(),
      created_by: context.by,
      fingerprint: null,
      joined_at: null,
      last_seen_at: null,
      address: null,
      version: null,
    }
    await database.query.transaction().execute(async (trx) => {
      if ((await store.countNodes(trx)) >= maxNodes) throw conflict('name', `There are ${maxNodes} nodes already`)
      await namedConflict('node', ['name'], () => store.insertNodeRow(trx, row))
    })
    return this.#giveToken(row.id, input, context)
  }

  /** Gives a node a new join token; one that waits works no more. The node itself goes on until the new token is used. */
  async renewToken(id: string, input: NodeJoinTokenCreate, context: NodeContext): Promise<NodeJoin> {
    this.#checkEnabled()
    await this.#read(id)
    return this.#giveToken(id, input, context)
  }

  async rename(id: string, { name }: NodeUpdate): Promise<Node> {
    await this.#read(id)
    const changes = { name, name_key: nameKey(name) }
    await namedConflict('node', ['name'], () => store.updateNodeRow(this.#db, id, changes))
    return this.#read(id)
  }

  /** Removes a node: what it sends is refused from now on. */
  async remove(id: string): Promise<Node> {
    const node = await this.#read(id)
    await store.deleteNodeRow(this.#db, id)
    return node
  }

  async #giveToken(id: string, { expires_in_hours: hours }: NodeJoinTokenCreate, context: NodeContext) {
    const { authority, clock, listeners } = this.#dependencies
    const now = clock.now()
    const { fingerprint } = await authority.read()
    const { text, hash } = createJoinToken(fingerprint)
    const row = { node_id: id, hash, created_at: now, expires_at: now + hours * hour }
    await store.putJoinToken(this.#db, row)
    const host = context.host.includes(':') ? `[${context.host}]` : context.host
    const url = `https://${host}:${listeners[0]?.port ?? 443}`
    const command = `hearth vpn node join ${url} --token-file -`
    return { node: await this.#read(id), token: text, url, command }
  }

  async #read(id: string): Promise<Node> {
    const row = await store.findNodeRow(this.#db, id)
    if (row === undefined) throw notFound(`node ${id}`)
    return this.#view(row)
  }

  #checkEnabled(): void {
    if (!this.isEnabled) throw new Problem('conflict', isOff)
  }

  #view(row: store.ListedNodeRow): Node {
    const now = this.#dependencies.clock.now()
    const { expires_at: end } = row
    return {
      id: row.id,
      name: row.name,
      status: statusOf(row, { now, startedAt: this.#startedAt }),
      created_at: new Date(row.created_at).toISOString(),
      created_by: row.created_by,
      joined_at: toIsoString(row.joined_at),
      last_seen_at: toIsoString(row.last_seen_at),
      address: row.address,
      version: row.version,
      join_token_expires_at: end !== null && end > now ? toIsoString(end) : null,
    }
  }
}

const isOff = 'Nodes are off: set VPN_NODES_LISTEN, such as 0.0.0.0:8110, in the environment of the service'

function statusOf(
  { fingerprint, last_seen_at: seenAt }: Pick<store.ListedNodeRow, 'fingerprint' | 'last_seen_at'>,
  { now, startedAt }: { now: number; startedAt: number },
): Node['status'] {
  if (fingerprint === null) return 'waiting'
  // After a start every node gets its time to report.
  return now - Math.max(seenAt ?? 0, startedAt) > lostAfterMs ? 'lost' : 'connected'
}
