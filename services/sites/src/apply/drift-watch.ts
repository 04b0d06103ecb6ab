import type { Log, Timers } from '@hearth/runtime'
import type { ExpectedConfigs } from '../nodes/expected-config.ts'
import type { KnownNode, Nodes } from '../nodes/nodes.ts'
import type { RunningConfig } from '../nodes/admin-client.ts'
import { hashConfig, isBlank } from './running-config.ts'

/** What somebody else changed on a node. */
export interface Drift {
  readonly nodeId: number
  readonly nodeName: string
  readonly since: number
  readonly sha: string
  readonly expected: object
  readonly running: object
}

export interface DriftParts {
  readonly nodes: Pick<Nodes, 'list' | 'look'>
  readonly configs: ExpectedConfigs
  readonly timers: Timers
  readonly log: Log
  /** Whether a change is being applied: what runs is in motion then. */
  readonly isApplying: () => boolean
  /** A node serves nothing, or what it did before it was managed: it was restarted. */
  readonly onRestarted: (node: KnownNode) => void
  /** Whether the last change did not reach the node. */
  readonly isBehind: (nodeId: number) => boolean
  /** A node that answers again runs what it did before a change that it has missed. */
  readonly onBehind: (node: KnownNode) => void
  readonly onDrift: (drift: Drift) => void
  readonly onSettled: (node: KnownNode) => void
}

const everyMs = 30_000

/** Looks at what the nodes run, over and over. */
export class DriftWatch {
  readonly #parts: DriftParts
  readonly #drifts = new Map<number, Drift>()
  #cancel: () => void = () => undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(parts: DriftParts) {
    this.#parts = parts
  }

  /** What is known of drift, by node. */
  current(): readonly Drift[] {
    return [...this.#drifts.values()]
  }

  of(nodeId: number): Drift | undefined {
    return this.#drifts.get(nodeId)
  }

  start(): void {
    this.#cancel = this.#parts.timers.after(everyMs, () => {
      if (this.#isClosed) return
      void this.look().finally(() => this.start())
    })
  }

  /** Looks at once, and returns when all nodes were asked. */
  look(): Promise<void> {
    this.#running ??= this.#lookAtAll().finally(() => (this.#running = undefined))
    return this.#running
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#running
  }

  async #lookAtAll(): Promise<void> {
    const nodes = await this.#parts.nodes.list()
    const known = new Set(nodes.map(({ row }) => row.id))
    for (const id of this.#drifts.keys()) if (!known.has(id)) this.#drifts.delete(id)
    await Promise.all(nodes.map((node) => this.#lookAt(node)))
  }

  async #lookAt(node: KnownNode): Promise<void> {
    const isApplying = this.#parts.isApplying()
    try {
      const running = await this.#parts.nodes.look(node.row.id)
      if (node.row.onboarded_at === null || isApplying || this.#parts.isApplying()) return
      this.#compare(node, running)
    } catch (error) {
      this.#parts.log.debug({ err: error, node: node.row.name }, 'a node does not answer')
    }
  }

  #compare(node: KnownNode, { config }: RunningConfig): void {
    const { row } = node
    const sha = hashConfig(config)
    const isOurs = sha === row.expected_sha || sha === row.announced_sha
    if (isOurs) {
      if (this.#drifts.delete(row.id)) this.#parts.onSettled(node)
      if (sha !== row.expected_sha || this.#parts.isBehind(row.id)) this.#parts.onBehind(node)
      return
    }
    if (isBlank(config) || sha === row.baseline_sha) {
      this.#drifts.delete(row.id)
      this.#parts.onRestarted(node)
      return
    }
    if (this.#drifts.get(row.id)?.sha === sha) return
    const drift: Drift = {
      nodeId: row.id,
      nodeName: row.name,
      since: this.#drifts.get(row.id)?.since ?? this.#parts.timers.now(),
      sha,
      expected: this.#parts.configs.open(row) ?? {},
      running: config ?? {},
    }
    this.#drifts.set(row.id, drift)
    this.#parts.onDrift(drift)
  }
}
