import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '@hearth/database'
import { type Clock, parseJson, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Listener } from '../dns/resolver-files.ts'
import { nameKey } from '../envelope.ts'
import { asksGateway } from '../interfaces/desired-devices.ts'
import { allInterfaceRows, noteEndpointChange, noteStandbyChange } from '../interfaces/store.ts'
import { conflict, namedConflict, notFound, Problem } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import type { NodeAuthority } from './authority.ts'
import { createJoinToken } from './join-token.ts'
import { NodeDnsReport } from './link-schema.ts'
import type { NodeInstances } from './node-instances.ts'
import { nodeStatus } from './node-statuses.ts'
import type { Node, NodeCreate, NodeJoin, NodeJoinTokenCreate, NodeList, NodeUpdate } from './schema.ts'
import * as store from './store.ts'
import type { NodeRow } from './tables.ts'

const hour = 3_600_000

/** Nodes of one installation, at most. */
const maxNodes = 50

export interface NodesDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly authority: Pick<NodeAuthority, 'read'>
  /** Who reports as a node; without it, as in commands, nobody knows. */
  readonly instances?: Pick<NodeInstances, 'duplicatesOf'>
  /** Addresses at which nodes are listened for; none while nodes are off. */
  readonly listeners: readonly Listener[]
  /** Called when peers need their configuration again because their node has another endpoint; commands tell nobody. */
  readonly onEndpointChanged?: () => void
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
    const interfaces = await store.nodeInterfaceRows(this.#db)
    return { enabled: this.isEnabled, nodes: rows.map((row) => this.#view(row, interfaces)) }
  }

  /** Nodes that are lost; none while nodes are off. */
  async lost(): Promise<Node[]> {
    if (!this.isEnabled) return []
    return (await this.list()).nodes.filter(({ status }) => status === 'lost')
  }

  /** Nodes that report and whose peers get no answers for names, or those of older files, with the reason. */
  async withoutDns(): Promise<NodeWithoutDns[]> {
    const rows = (await allInterfaceRows(this.#db)).filter(needsResolver)
    const needs = new Set(rows.flatMap((row) => [row.node_id, row.standby_node_id]))
    if (!this.isEnabled || needs.size === 0) return []
    const { nodes } = await this.list()
    return nodes.flatMap(({ id, name, status, dns }) => {
      const reason = status === 'connected' && needs.has(id) ? dnsProblem(dns) : null
      return reason === null ? [] : [{ name, reason }]
    })
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
      endpoint: null,
      traffic_count: null,
      traffic_number: null,
      reported: null,
      reported_dns: null,
      reported_networks: null,
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

  /** Changes the name of a node, or the host in the configurations of its peers, which need them again then. */
  async update(id: string, { name, endpoint }: NodeUpdate): Promise<Node> {
    const before = await this.#find(id)
    const changes = {
      ...(name === undefined ? {} : { name, name_key: nameKey(name) }),
      ...(endpoint === undefined ? {} : { endpoint }),
    }
    // Without a host before, nobody was handed a configuration with it.
    const isOther = hostOf(before) !== null && hostOf({ ...before, ...changes }) !== hostOf(before)
    await namedConflict('node', ['name'], () =>
      this.#db.transaction().execute(async (trx) => {
        await store.updateNodeRow(trx, id, changes)
        if (isOther) await this.#noteEndpointChange(trx, id)
      }),
    )
    if (isOther) this.#dependencies.onEndpointChanged?.()
    return this.#read(id)
  }

  /** The host at which peers reach a node. Throws a `Problem` while nobody knows one. */
  async endpointOf(id: string): Promise<string> {
    const node = await this.#find(id)
    const host = hostOf(node)
    if (host === null)
      throw new Problem('conflict', `The node ${node.name} has no address yet: let it join, or set its endpoint`)
    return host
  }

  /** Removes a node: what it sends is refused from now on. One with interfaces stays, and one that is their standby. */
  async remove(id: string): Promise<Node> {
    const node = await this.#read(id)
    if (hasInterfaces(node)) throw staysFor(node)
    try {
      await store.deleteNodeRow(this.#db, id)
    } catch (error) {
      // An interface may have come to it just now.
      const now = await this.#read(id)
      throw hasInterfaces(now) ? staysFor(now) : error
    }
    return node
  }

  async #noteEndpointChange(trx: Kysely<Tables>, id: string): Promise<void> {
    const now = this.#dependencies.clock.now()
    for (const { name, node_id: nodeId, standby_node_id: standbyId } of await store.nodeInterfaceRows(trx)) {
      if (nodeId === id) await noteEndpointChange(trx, name, now)
      if (standbyId === id) await noteStandbyChange(trx, name, now)
    }
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
    const row = await this.#find(id)
    return this.#view(row, await store.nodeInterfaceRows(this.#db))
  }

  async #find(id: string): Promise<store.ListedNodeRow> {
    const row = await store.findNodeRow(this.#db, id)
    if (row === undefined) throw notFound(`node ${id}`)
    return row
  }

  #checkEnabled(): void {
    if (!this.isEnabled) throw new Problem('conflict', isOff)
  }

  #view(row: store.ListedNodeRow, interfaces: readonly store.NodeInterfaceRow[]): Node {
    const namesOf = (column: 'node_id' | 'standby_node_id') =>
      interfaces.flatMap((one) => (one[column] === row.id ? [one.name] : []))
    const now = this.#dependencies.clock.now()
    const { expires_at: end } = row
    return {
      id: row.id,
      name: row.name,
      status: nodeStatus(row, { now, startedAt: this.#startedAt }),
      created_at: new Date(row.created_at).toISOString(),
      created_by: row.created_by,
      joined_at: toIsoString(row.joined_at),
      last_seen_at: toIsoString(row.last_seen_at),
      address: row.address,
      version: row.version,
      endpoint: row.endpoint,
      interfaces: namesOf('node_id'),
      standby_interfaces: namesOf('standby_node_id'),
      dns: dnsStatus(row),
      duplicate_addresses: this.#dependencies.instances?.duplicatesOf(row.id, now) ?? null,
      join_token_expires_at: end !== null && end > now ? toIsoString(end) : null,
    }
  }
}

/** The host at which peers reach a node; null while nobody knows one. */
const hostOf = ({ endpoint, address }: Pick<NodeRow, 'endpoint' | 'address'>): string | null => endpoint ?? address

/** A node whose peers get no answers for names, or those of older files. */
export interface NodeWithoutDns {
  readonly name: string
  readonly reason: string
}

const needsResolver = (row: InterfaceRow): boolean => row.enabled === 1 && asksGateway(row)

function dnsProblem(dns: Node['dns']): string | null {
  if (dns === null) return 'its version of Hearth has no resolver: update it there'
  if (dns.status === 'failed') return `its resolver does not run, and was started again ${dns.restarts} times`
  return dns.problem
}

function dnsStatus({ reported_dns: reported }: Pick<NodeRow, 'reported_dns'>): Node['dns'] {
  const data = reported === null ? undefined : NodeDnsReport.safeParse(parseJson(reported)).data
  if (data === undefined) return null
  const { log, started_at: startedAt } = data
  const shown = log === undefined ? null : { ...log, lost_at: toIsoString(log.lost_at ?? null) }
  return { ...data, started_at: toIsoString(startedAt), log: shown }
}

const hasInterfaces = (node: Node): boolean => node.interfaces.length + node.standby_interfaces.length > 0

function staysFor({ name, interfaces, standby_interfaces: standbys }: Node): Problem {
  const reasons = [
    interfaces.length === 0 ? [] : `has the interfaces ${interfaces.join(', ')}: move or delete them first`,
    standbys.length === 0 ? [] : `is the standby of ${standbys.join(', ')}: choose another one there, or none`,
  ].flat()
  return new Problem('conflict', `${name} ${reasons.join('; it ')}`, {
    details: { interfaces, standby_interfaces: standbys },
  })
}

const isOff = 'Nodes are off: set VPN_NODES_LISTEN, such as 0.0.0.0:8110, in the environment of the service'
