import { uniqueViolation } from '@hearth/database'
import { toIsoString, type Clock } from '@hearth/runtime'
import { conflict, invalidField, notFound, Problem, unavailable } from '../../problems.ts'
import type { SyncSites } from '../../sites/sync.ts'
import type { DriftWatch } from '../drift.ts'
import { formatAdminAddress } from './admin-address.ts'
import { firstNode, type KnownNode, type Nodes, nodeWarnings, readAdminUrl } from './nodes.ts'
import { isBlank } from './running-config.ts'
import type { Node, NodeCreate, NodeUpdate } from './schema.ts'
import { unknownState } from './store.ts'
import type { NodeRow } from './tables.ts'

export interface ManagedNodesDependencies {
  readonly nodes: Nodes
  readonly drift: Pick<DriftWatch, 'of'>
  readonly clock: Clock
  readonly sync: SyncSites
  readonly countPending: (nodeId: number) => Promise<number>
  /** Directories below which servers may write their logs. */
  readonly logDirectories: readonly string[]
  /** Reads the version of the service's own Caddy; undefined when it is not known. */
  readonly ownVersion: () => Promise<string | undefined>
}

const maxNodes = 20

/** Managing the Caddy servers that the sites run on. */
export class ManagedNodes {
  readonly #dependencies: ManagedNodesDependencies

  constructor(dependencies: ManagedNodesDependencies) {
    this.#dependencies = dependencies
  }

  async list(): Promise<Node[]> {
    const nodes = await this.#dependencies.nodes.list()
    return await Promise.all(nodes.map((node) => this.#view(node)))
  }

  /** Inspects the node now. */
  async get(id: number): Promise<Node> {
    await this.#find(id)
    await this.#dependencies.nodes.inspect(id).catch(() => undefined)
    return await this.#view(await this.#find(id))
  }

  /** Adds a Caddy that answers; it serves the sites once it was onboarded. */
  async add({ admin_url: adminUrl, bind, ...rest }: NodeCreate): Promise<Node> {
    const { nodes, clock } = this.#dependencies
    const admin = readAdminUrl(adminUrl)
    this.#checkLog(rest.log_file)
    const others = await nodes.list()
    if (others.length >= maxNodes) throw conflict(`There are ${maxNodes} servers already`, 'too_many_nodes')
    const twin = others.find((node) => formatAdminAddress(node.admin) === admin)
    if (twin !== undefined) throw conflict(`admin_url: this is the server ${twin.row.name}`, 'admin_url_taken')
    const row = { ...rest, admin, bind: JSON.stringify(bind), ...unknownState, created_at: clock.now() }
    const { row: added } = await named(() => nodes.add(row))
    try {
      await nodes.inspect(added.id)
    } catch (error) {
      await nodes.remove(added.id)
      throw unavailable(`admin_url: ${(error as Error).message}`, { code: 'admin_unreachable' })
    }
    return await this.#view(await this.#find(added.id))
  }

  async update(id: number, { bind, ...rest }: NodeUpdate, author: string): Promise<Node> {
    const { row } = await this.#find(id)
    const isFirst = id === firstNode && (bind ?? rest.http_port ?? rest.https_port ?? rest.log_file) !== undefined
    if (isFirst)
      throw conflict(
        'Ports, addresses and log of this server come from the settings of the service',
        'from_environment',
      )
    this.#checkLog(rest.log_file)
    const given = Object.entries({ ...rest, ...(bind && { bind: JSON.stringify(bind) }) }).filter(
      ([, value]) => value !== undefined,
    )
    await named(() => this.#dependencies.nodes.update(id, Object.fromEntries(given)))
    // Caddy does not know the name.
    const isForCaddy = given.some(([member]) => member !== 'name')
    if (row.onboarded_at !== null && isForCaddy) await this.#applyTo(row, author)
    return await this.#view(await this.#find(id))
  }

  async remove(id: number): Promise<void> {
    await this.#find(id)
    if (id === firstNode) throw conflict('This server comes from the settings of the service', 'from_environment')
    await this.#dependencies.nodes.remove(id)
  }

  /** From now on it serves the sites, and nothing else. */
  async onboard(id: number, isConfirmed: boolean, author: string): Promise<Node> {
    const { nodes, sync } = this.#dependencies
    const node = await this.#find(id)
    const apply = () => sync.onNode(id, { siteIds: [], cause: `node.onboarded ${node.row.name}`, author })
    if (node.row.onboarded_at !== null) {
      await apply()
      return await this.#view(await this.#find(id))
    }
    const { config } = await nodes.inspect(id).catch((error: unknown) => {
      throw unreachable(error)
    })
    if (!isBlank(config) && !isConfirmed)
      throw conflict('confirm_exclusive: this Caddy serves something, which would be replaced', 'confirmation_required')
    await nodes.takeOver(id, config, apply)
    return await this.#view(await this.#find(id))
  }

  /** Applies what was changed about a node; what it refuses is as it was. One that does not answer gets it later. */
  async #applyTo(before: NodeRow, author: string): Promise<void> {
    const { nodes, sync } = this.#dependencies
    const { id, http_port, https_port, bind, log_file, name } = before
    try {
      await sync.onNode(id, { siteIds: [], cause: `node.updated ${name}`, author })
    } catch (error) {
      if (error instanceof Problem && error.status === 503) return
      await nodes.update(id, { http_port, https_port, bind, log_file, name })
      throw error
    }
  }

  /** Root certificate of its internal authority, PEM. */
  async authority(id: number): Promise<string> {
    const { client } = await this.#find(id)
    const certificate = await client.rootCertificate().catch((error: unknown) => {
      throw unreachable(error)
    })
    if (certificate === undefined) throw notFound('authority: no site of this server uses it yet')
    return certificate
  }

  #checkLog(file: string | null | undefined): void {
    const problem =
      file === null || file === undefined ? undefined : logFileProblem(file, this.#dependencies.logDirectories)
    if (problem !== undefined) throw invalidField('log_file', problem)
  }

  async #view(node: KnownNode): Promise<Node> {
    const { drift, countPending, ownVersion } = this.#dependencies
    const { row, capabilities } = node
    const isDrifted = drift.of(row.id) !== undefined
    return {
      id: row.id,
      name: row.name,
      admin_url: formatAdminAddress(node.admin),
      is_own: row.admin === null,
      http_port: row.http_port,
      https_port: row.https_port,
      bind: JSON.parse(row.bind) as string[],
      log_file: row.log_file,
      onboarded: row.onboarded_at !== null,
      reachable: node.isReachable,
      error: node.error ?? null,
      checked_at: toIsoString(node.checkedAt ?? null),
      version: row.admin === null ? ((await ownVersion()) ?? null) : null,
      capabilities: capabilities === undefined ? null : { ...capabilities },
      state: stateOf(node, isDrifted, await countPending(row.id)),
      warnings: nodeWarnings(node),
    }
  }

  async #find(id: number): Promise<KnownNode> {
    const node = await this.#dependencies.nodes.get(id)
    if (node === undefined) throw notFound('server')
    return node
  }
}

/** Returns the state of a node; `pending` counts the sites that it does not run as they are wanted. */
function stateOf({ row, checkedAt, isReachable }: KnownNode, isDrifted: boolean, pending: number): Node['state'] {
  if (checkedAt === undefined) return 'unknown'
  if (!isReachable) return 'unreachable'
  if (row.onboarded_at === null) return 'not_onboarded'
  if (isDrifted) return 'drifted'
  return pending > 0 || row.expected_sha === null ? 'pending' : 'in_sync'
}

const unreachable = (error: unknown) =>
  unavailable(`The admin endpoint does not answer: ${(error as Error).message}`, { code: 'admin_unreachable' })

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (uniqueViolation(error) === undefined) throw error
    if (uniqueViolation(error)?.includes('admin') === true)
      throw conflict('admin_url: another server is this one', 'admin_url_taken')
    throw conflict('name: another server has this name', 'name_taken')
  }
}

/**
 * Why a server must not write its access log there, or undefined. The log holds the requests of visitors, so it goes to no directory
 * where it is read as something else. Only the text is judged: the file is on the server's machine.
 */
function logFileProblem(path: string, directories: readonly string[]): string | undefined {
  const parts = path.split('/').slice(1)
  const isClean = path.startsWith('/') && parts.every((part) => !['', '.', '..'].includes(part))
  if (!isClean || /[{}\\\p{Cc}]/u.test(path)) return 'must be an absolute path without braces, empty parts, . or ..'
  if (!/[^/]\.log$/.test(path)) return 'must be the name of a file that ends with .log'
  const isBelow = directories.some((directory) => path.startsWith(`${directory.replace(/\/$/, '')}/`))
  return isBelow ? undefined : `must be below ${directories.join(' or ')}, see the setting LOG_DIRS`
}
