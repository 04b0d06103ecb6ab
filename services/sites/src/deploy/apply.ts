import { acquireLock, type Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { ApplyNode } from './apply-node.ts'
import type { NodeTables } from './nodes/tables.ts'
import { siteHeads, siteRowsOf } from '../sites/store.ts'
import type { SiteChange } from '../sites/sync.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { NodeSnapshot, NodeOutcome } from './apply-to-node.ts'
import { Batches } from './batches.ts'
import { createSiteReader, type DesiredSite } from './desired-sites.ts'
import type { PreparedConfigs } from './prepared-configs.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { type NodeRun, refusedBy, trialOf, tryNodes } from './node-run.ts'
import type { ApplyTables } from './tables.ts'

/** Result of applying changes. */
export interface ApplyResult {
  /** Undefined when nothing of it runs. */
  readonly sha: string | undefined
  /** True when the nodes run another configuration than before. */
  readonly isChanged: boolean
  readonly revisionId: number | undefined
  /** Sites that a node refused, with its messages. */
  readonly refused: ReadonlyMap<number, string>
  /** Names of those sites. */
  readonly refusedNames: ReadonlyMap<number, string>
  /** Those of them that no node runs in the new version: the trial refused them. */
  readonly refusedByTrial: ReadonlySet<number>
  /** Each node that was tried. */
  readonly nodes: readonly TriedNode[]
}

/** Outcome of a change on one node. */
export interface TriedNode {
  readonly id: number
  readonly name: string
  readonly outcome: NodeOutcome
}

/** The tables that applying works on. */
export type ApplyDatabase = Database<ApplyTables & SiteTables & NodeTables>

export interface ApplyDependencies {
  readonly database: ApplyDatabase
  readonly timers: Timers
  readonly log: Log
  /** The nodes that were onboarded: the first that answers is the trial for the others. */
  readonly nodes: () => Promise<readonly ApplyNode[]>
  readonly prepared: PreparedConfigs
  readonly onApplied: (result: ApplyResult, changes: readonly SiteChange[], durationMs: number) => void
}

/** Changes that come within this are one; each one more prolongs it, up to the longest wait. Milliseconds. */
const quietMs = 250
const maxMs = 1500

/** Lock of transactions that count revisions up. */
export const revisionLock = 11

/** Brings what runs to what is wanted. */
export class Apply {
  readonly #dependencies: ApplyDependencies
  readonly #reader = createSiteReader()
  readonly #batches: Batches<SiteChange, ApplyResult>
  readonly #behind = new Set<number>()
  readonly #snapshots = new Map<number, NodeSnapshot>()
  #underWay = 0

  constructor(dependencies: ApplyDependencies) {
    this.#dependencies = dependencies
    const run = (changes: readonly SiteChange[]) => this.#run(changes)
    const prepare = () => this.#prepare()
    this.#batches = new Batches({ timers: dependencies.timers, quietMs, maxMs, prepare, run })
  }

  /** Resolves when the change, and all that came with it, was tried on every node. */
  async request(change: SiteChange): Promise<ApplyResult> {
    this.#underWay += 1
    return await this.#batches.request(change, change.isUrgent).finally(() => (this.#underWay -= 1))
  }

  /** True while a change is applied, or about to be. */
  get isBusy(): boolean {
    return this.#underWay > 0
  }

  /** Returns true when the last change is known not to have reached the node. */
  isBehind(nodeId: number): boolean {
    return this.#behind.has(nodeId)
  }

  close(): Promise<void> {
    return this.#batches.close()
  }

  async #readDesired(): Promise<DesiredSite[]> {
    const { query } = this.#dependencies.database
    return await this.#reader.read(await siteHeads(query), (ids) => siteRowsOf(query, ids))
  }

  /** Compiles while further edits are waited for; mostly there are none. */
  async #prepare(): Promise<void> {
    const desired = await this.#readDesired()
    for (const node of await this.#dependencies.nodes()) node.prepare(desired)
  }

  async #run(changes: readonly SiteChange[]): Promise<ApplyResult> {
    const begun = this.#dependencies.timers.monotonic()
    const { query } = this.#dependencies.database
    const desired = await this.#readDesired()
    const runs = await tryNodes(query, {
      nodes: await this.#dependencies.nodes(),
      desired,
      changes,
      snapshots: this.#snapshots,
    })
    this.#dependencies.prepared.clear()
    this.#note(runs)
    const durationMs = Math.round(this.#dependencies.timers.monotonic() - begun)
    const result = await this.#record(runs, { changes, durationMs })
    this.#dependencies.onApplied(result, changes, durationMs)
    return result
  }

  #note(runs: readonly NodeRun[]): void {
    for (const { node, outcome } of runs) {
      const { id } = node.row
      if (outcome?.kind === 'unreachable' || outcome?.kind === 'unknown') this.#behind.add(id)
      else this.#behind.delete(id)
      if (outcome?.kind === 'applied') this.#snapshots.set(id, outcome.snapshot)
      else this.#snapshots.delete(id)
    }
  }

  async #record(
    runs: readonly NodeRun[],
    about: { changes: readonly SiteChange[]; durationMs: number },
  ): Promise<ApplyResult> {
    const { database, timers } = this.#dependencies
    const revisionId = await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, revisionLock)
      return await recordOutcomes(trx, runs, { ...about, now: timers.now() })
    })
    const applied = runs.flatMap(({ outcome }) => (outcome?.kind === 'applied' ? [outcome] : []))
    const trial = trialOf(runs)
    const refused = new Map(runs.flatMap((run) => [...refusedBy(run)]))
    const sites = runs[0]?.desired.filter(({ id }) => refused.has(id)) ?? []
    return {
      sha: applied[0]?.settled.sha,
      isChanged: applied.some(({ isChanged }) => isChanged),
      revisionId,
      refused,
      refusedNames: new Map(sites.map(({ id, name }) => [id, name])),
      refusedByTrial: new Set(trial === undefined ? [] : refusedBy(trial).keys()),
      nodes: runs.flatMap(({ node: { row }, outcome }) =>
        outcome === undefined ? [] : [{ id: row.id, name: row.name, outcome }],
      ),
    }
  }
}
