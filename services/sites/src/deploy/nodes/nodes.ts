import { acquireLock, type Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { baselineOf, hashConfig, isBlank } from './running-config.ts'
import { invalidField } from '../../problems.ts'
import { oldestCapabilities, type Capabilities } from '../../caddy/capabilities.ts'
import type { NodeProfile, PortalSockets } from '../../caddy/desired-state.ts'
import {
  type AdminAddress,
  AdminAddressRefused,
  adminBlockOf,
  formatAdminAddress,
  parseAdminAddress,
} from './admin-address.ts'
import { createAdminClient, type AdminClient, type RunningConfig } from './admin-client.ts'
import type { CaddyProcess } from './caddy-process.ts'
import { areDifferent, currentCapabilities, type Doubt, type KnownCapabilities } from './capabilities.ts'
import * as store from './store.ts'
import type { NodeRow, NodeTables } from './tables.ts'

/** Lock in which nodes get their numbers on PostgreSQL. */
const nodeNumberLock = 13

/** Number of the node of the settings, which is always there. */
export const firstNode = 1

/** A node as known from its row and its last contact. */
export interface KnownNode {
  readonly row: NodeRow
  readonly admin: AdminAddress
  readonly client: AdminClient
  /** Admin block of the configuration it runs. */
  readonly adminBlock: NodeProfile['admin']
  /** Properties its configurations are compiled for. */
  readonly place: NodeProfile
  /** Undefined until it was reached once; take it for the oldest. */
  readonly capabilities: Capabilities | undefined
  readonly isReachable: boolean
  readonly error: string | undefined
  readonly checkedAt: number | undefined
}

export interface NodeDependencies {
  readonly database: Database<NodeTables>
  readonly clock: Clock
  readonly log: Log
  /** The Caddy of the service itself, if it runs one. */
  readonly own: CaddyProcess | undefined
  /** Sockets at which the own Caddy reaches the portal; undefined when it cannot. */
  readonly portal: PortalSockets | undefined
  /** Called when a node answers again, or does not any more. */
  readonly onReachable: (node: NodeRow, isReachable: boolean) => void
  /** Called when a node has other capabilities: its Caddy was replaced by another version. */
  readonly onReplaced: (node: NodeRow) => void
}

/** Result of the last contact with a node. */
interface Contact {
  adminBlock?: NodeProfile['admin']
  known?: KnownCapabilities
  isReachable: boolean
  error: string | undefined
  checkedAt: number | undefined
}

/** The Caddy servers that are managed. */
export class Nodes {
  readonly #dependencies: NodeDependencies
  readonly #contacts = new Map<number, Contact>()
  readonly #inspecting = new Map<number, Promise<RunningConfig>>()

  constructor(dependencies: NodeDependencies) {
    this.#dependencies = dependencies
  }

  /** All of them, the one of the settings first. */
  async list(): Promise<KnownNode[]> {
    const rows = await store.allNodeRows(this.#db)
    return rows.flatMap((row) => this.#known(row) ?? [])
  }

  async get(id: number): Promise<KnownNode | undefined> {
    const row = await store.findNodeRow(this.#db, id)
    return row === undefined ? undefined : this.#known(row)
  }

  /** Reads what the node runs, and remembers whether it answers. Throws what the client throws. */
  inspect(id: number): Promise<RunningConfig> {
    // Dry runs of two inspections would conflict.
    const inspection = this.#inspecting.get(id) ?? this.#inspectOnce(id).finally(() => this.#inspecting.delete(id))
    this.#inspecting.set(id, inspection)
    return inspection
  }

  async #inspectOnce(id: number): Promise<RunningConfig> {
    const node = await this.get(id)
    if (node === undefined) throw new Error(`there is no node ${id}`)
    const contact = this.#contact(id)
    const wasReachable = contact.isReachable
    contact.checkedAt = this.#dependencies.clock.now()
    try {
      const running = await node.client.readConfig()
      contact.adminBlock = adminBlockOf(running.config, node.admin)
      const isRestarted = node.row.onboarded_at !== null && isBlank(running.config)
      await this.#settleCapabilities(node, wasReachable ? (isRestarted ? 'perhaps another' : 'same') : 'another')
      contact.isReachable = true
      contact.error = undefined
      return running
    } catch (error) {
      contact.isReachable = false
      contact.error = this.#own(node.row)?.failure ?? (error as Error).message
      throw error
    } finally {
      if (contact.isReachable !== wasReachable) this.#dependencies.onReachable(node.row, contact.isReachable)
    }
  }

  /** Probes the capabilities of the node again, unless it is the process that was probed. Returns the node as known then. */
  async recheck(id: number): Promise<KnownNode | undefined> {
    await this.#inspecting.get(id)?.catch(() => undefined)
    const node = await this.get(id)
    if (node === undefined) return undefined
    await this.#settleCapabilities(node, 'perhaps another')
    return await this.get(id)
  }

  async #settleCapabilities(node: KnownNode, doubt: Doubt): Promise<void> {
    const contact = this.#contact(node.row.id)
    const admin = contact.adminBlock ?? node.adminBlock
    const before = contact.known?.capabilities
    contact.known = await currentCapabilities(node.client, contact.known, { admin, doubt })
    if (areDifferent(before, contact.known.capabilities)) this.#dependencies.onReplaced(node.row)
  }

  /** Manages a node from now on, once `apply` has replaced what it runs. When that fails, the node is not managed. */
  async takeOver<Result>(id: number, config: unknown, apply: () => Promise<Result>): Promise<Result> {
    await this.update(id, { onboarded_at: this.#dependencies.clock.now(), baseline_sha: hashConfig(config) })
    try {
      const result = await apply()
      await this.update(id, { baseline_sha: baselineOf(config) })
      return result
    } catch (error) {
      await this.update(id, { onboarded_at: null, baseline_sha: null })
      throw error
    }
  }

  async add(row: Omit<NodeRow, 'id'>): Promise<KnownNode> {
    const { database } = this.#dependencies
    const whole = await this.#db.transaction().execute(async (trx) => {
      await acquireLock<NodeTables>(database.kind, trx, nodeNumberLock)
      const id = await store.nextNodeId(trx)
      await store.insertNodeRow(trx, { ...row, id })
      return { ...row, id }
    })
    const known = this.#known(whole)
    if (known === undefined) throw new Error(`the node ${whole.name} has no address`)
    return known
  }

  update(id: number, changes: Partial<Omit<NodeRow, 'id'>>): Promise<void> {
    return store.updateNodeRow(this.#db, id, changes)
  }

  async remove(id: number): Promise<void> {
    await store.deleteNodeRow(this.#db, id)
    this.#contacts.delete(id)
  }

  /** Names by number, of those that were onboarded. */
  async names(): Promise<ReadonlyMap<number, string>> {
    const rows = await store.allNodeRows(this.#db)
    return new Map(rows.filter((row) => row.onboarded_at !== null).map((row) => [row.id, row.name]))
  }

  /** Undefined for the service's own Caddy when it does not run. */
  #known(row: NodeRow): KnownNode | undefined {
    const admin = row.admin === null ? this.#own(row)?.admin : parseAdminAddress(row.admin)
    if (admin === undefined) return undefined
    const contact = this.#contact(row.id)
    const adminBlock = contact.adminBlock ?? adminBlockOf(undefined, admin)
    const capabilities = contact.known?.capabilities
    const own = this.#own(row)
    const place = placeOf(row, { adminBlock, capabilities, own, portal: this.#dependencies.portal })
    return { ...contact, row, admin, client: createAdminClient(admin), adminBlock, place, capabilities }
  }

  #own(row: NodeRow): CaddyProcess | undefined {
    return row.admin === null ? this.#dependencies.own : undefined
  }

  #contact(id: number): Contact {
    const contact = this.#contacts.get(id) ?? { isReachable: false, error: undefined, checkedAt: undefined }
    this.#contacts.set(id, contact)
    return contact
  }

  get #db(): Kysely<NodeTables> {
    return this.#dependencies.database.query
  }
}

function placeOf(
  row: NodeRow,
  {
    adminBlock,
    capabilities,
    own,
    portal,
  }: Pick<KnownNode, 'adminBlock' | 'capabilities'> & Pick<NodeDependencies, 'own' | 'portal'>,
): NodeProfile {
  return {
    admin: { ...adminBlock },
    httpPort: row.http_port,
    httpsPort: row.https_port,
    bind: JSON.parse(row.bind) as string[],
    capabilities: capabilities ?? oldestCapabilities,
    ...(row.log_file !== null && { logFile: row.log_file }),
    ...(own !== undefined && { storageRoot: own.storage, siteLogDirectory: own.logs }),
    ...(own !== undefined && portal !== undefined && { portal }),
  }
}

/** Reads the member `admin_url` of a request; returns the address in its usual form. Throws a problem. */
export function readAdminUrl(text: string): string {
  try {
    return formatAdminAddress(parseAdminAddress(text))
  } catch (error) {
    if (error instanceof AdminAddressRefused) throw invalidField('admin_url', error.message)
    throw error
  }
}

/** Returns warnings about the way the node is reached. */
export function nodeWarnings({ admin, capabilities, adminBlock }: KnownNode): string[] {
  if (admin.kind === 'unix') return []
  const isOld = capabilities !== undefined && !Object.values(capabilities).every(Boolean)
  const warnings = ['The admin endpoint is a TCP port: whoever reaches it controls the server. A unix socket is safer.']
  if (isOld && adminBlock.enforceOrigin !== true)
    warnings.push(
      'This version of Caddy takes changes that a web page in somebody’s browser sends to the port (CVE-2026-27589, mended in 2.11.1). Use a unix socket, or a newer version.',
    )
  return warnings
}

/** Returns the host at which this service reaches what the node serves. */
export function reachHost({ admin, row }: Pick<KnownNode, 'admin' | 'row'>): string {
  const [first] = JSON.parse(row.bind) as string[]
  if (first !== undefined) return first
  return admin.kind === 'tcp' ? admin.host : '127.0.0.1'
}
