import type { Log, Timers } from '@hearth/runtime'
import { diffJson } from '../caddy/config-diff.ts'
import { redactConfig } from '../caddy/redact.ts'
import { notFound } from '../problems.ts'
import type { RunningConfig } from './nodes/admin-client.ts'
import type { ExpectedConfigs } from './nodes/expected-config.ts'
import type { KnownNode, Nodes } from './nodes/nodes.ts'
import { hashConfig, isBlank } from './nodes/running-config.ts'
import type { DriftView } from './schema.ts'
import type { SyncAll } from './sync-sites.ts'

/** A change of a node's configuration by somebody else. */
export interface Drift {
  readonly nodeId: number
  readonly nodeName: string
  readonly since: number
  readonly sha: string
  readonly expected: object
  readonly running: object
}

export interface DriftDependencies {
  readonly nodes: Pick<Nodes, 'list' | 'inspect'>
  readonly configs: ExpectedConfigs
  readonly timers: Timers
  readonly log: Log
  /** Returns true while a change is applied, so that what runs may change. */
  readonly isApplying: () => boolean
  /** Called when a node was restarted: it serves nothing, or its configuration from before it was managed. */
  readonly onRestarted: (node: KnownNode) => void
  /** Returns true when the last change did not reach the node. */
  readonly isBehind: (nodeId: number) => boolean
  /** Called when a node answers again and still runs the configuration before a change it missed. */
  readonly onBehind: (node: KnownNode) => void
  readonly onDrift: (drift: Drift) => void
  readonly onSettled: (node: KnownNode) => void
}

const everyMs = 30_000

/** Compares the configuration that each node runs with the expected one, every 30 seconds. */
export class DriftWatch {
  readonly #dependencies: DriftDependencies
  readonly #drifts = new Map<number, Drift>()
  #cancel: () => void = () => undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(dependencies: DriftDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the known drift of each node. */
  current(): readonly Drift[] {
    return [...this.#drifts.values()]
  }

  of(nodeId: number): Drift | undefined {
    return this.#drifts.get(nodeId)
  }

  start(): void {
    this.#cancel = this.#dependencies.timers.after(everyMs, () => {
      if (this.#isClosed) return
      void this.check().finally(() => this.start())
    })
  }

  /** Checks all nodes now. */
  check(): Promise<void> {
    this.#running ??= this.#checkAll().finally(() => (this.#running = undefined))
    return this.#running
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#running
  }

  async #checkAll(): Promise<void> {
    const nodes = await this.#dependencies.nodes.list()
    const known = new Set(nodes.map(({ row }) => row.id))
    for (const id of this.#drifts.keys()) if (!known.has(id)) this.#drifts.delete(id)
    await Promise.all(nodes.map((node) => this.#checkNode(node)))
  }

  async #checkNode(node: KnownNode): Promise<void> {
    const isApplying = this.#dependencies.isApplying()
    try {
      const running = await this.#dependencies.nodes.inspect(node.row.id)
      if (node.row.onboarded_at === null || isApplying || this.#dependencies.isApplying()) return
      await this.#compare(node, running)
    } catch (error) {
      this.#dependencies.log.debug({ err: error, node: node.row.name }, 'a node does not answer')
    }
  }

  async #compare(node: KnownNode, { config }: RunningConfig): Promise<void> {
    const { row } = node
    const sha = hashConfig(config)
    const isOurs = sha === row.expected_sha || sha === row.announced_sha
    if (isOurs) {
      if (this.#drifts.delete(row.id)) this.#dependencies.onSettled(node)
      if (sha !== row.expected_sha || this.#dependencies.isBehind(row.id)) this.#dependencies.onBehind(node)
      return
    }
    if (isBlank(config) || sha === row.baseline_sha) {
      this.#drifts.delete(row.id)
      this.#dependencies.onRestarted(node)
      return
    }
    if (this.#drifts.get(row.id)?.sha === sha) return
    const drift: Drift = {
      nodeId: row.id,
      nodeName: row.name,
      since: this.#drifts.get(row.id)?.since ?? this.#dependencies.timers.now(),
      sha,
      expected: (await this.#dependencies.configs.read(row.id)) ?? {},
      running: config ?? {},
    }
    this.#drifts.set(row.id, drift)
    this.#dependencies.onDrift(drift)
  }
}

/** Lists the drift of the Caddy servers, and undoes it. */
export type DriftActions = ReturnType<typeof createDriftActions>

/** Creates the actions; both check every server first, so they act on its current configuration. */
export function createDriftActions(watch: DriftWatch, syncAll: SyncAll) {
  return {
    async list(): Promise<DriftView[]> {
      await watch.check()
      return watch.current().map(viewOf)
    },
    /** Applies the wanted configuration over the drift. Throws a problem when there is none. */
    async restore(author: string): ReturnType<SyncAll> {
      await watch.check()
      if (watch.current().length === 0) throw notFound('drift')
      const result = await syncAll(author, true)
      await watch.check()
      return result
    },
  }
}

function viewOf(drift: Drift): DriftView {
  const changes = diffJson(redactConfig(drift.expected), redactConfig(drift.running))
  return {
    node_id: drift.nodeId,
    node_name: drift.nodeName,
    since: new Date(drift.since).toISOString(),
    running_sha256: drift.sha,
    changes: changes.slice(0, 200),
    change_count: changes.length,
  }
}
