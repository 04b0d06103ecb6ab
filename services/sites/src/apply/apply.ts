import { takeTurn, type Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { AdminClient } from '../nodes/admin-client.ts'
import type { NodeRow, NodeTables } from '../nodes/tables.ts'
import { allSiteRows } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import { applyToNode, type Compiled, type NodeOutcome } from './apply-to-node.ts'
import { createBatches, type Batches } from './batches.ts'
import { createSiteReader, type DesiredSite } from './desired-sites.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { openNodeTask, type NodeRun } from './node-run.ts'
import type { ApplyTables } from './tables.ts'

/** A change that is to be applied. */
export interface Change {
  /** Sites that were edited: those Caddy refused before are tried again. */
  readonly siteIds: readonly number[]
  /** What led to it, as `site.updated`. */
  readonly cause: string
  readonly author: string
  /** Overwrites what somebody else has changed on the nodes, and tries every refused site again. */
  readonly isForced?: boolean
  /** Waits for no other changes. */
  readonly isUrgent?: boolean
}

/** What became of a change. */
export interface ApplyResult {
  /** Undefined when nothing of it runs. */
  readonly sha: string | undefined
  /** Whether the nodes run another configuration than before. */
  readonly isChanged: boolean
  readonly revisionId: number | undefined
  /** Sites that Caddy refused, with its words. */
  readonly refused: ReadonlyMap<number, string>
  /** Each node by its name. */
  readonly nodes: readonly { readonly name: string; readonly outcome: NodeOutcome }[]
}

/** A node with what applying needs of it. */
export interface ApplyNode {
  readonly row: NodeRow
  readonly client: AdminClient
  compile(sites: readonly DesiredSite[]): Compiled
  /** Looks at what is served; the sites are those that are new or changed. */
  check(config: object, changed: readonly DesiredSite[]): Promise<string | undefined>
}

/** Brings what runs to what is wanted. */
export interface Apply {
  /** Resolves when the change, and all that came with it, was tried on every node. */
  request(change: Change): Promise<ApplyResult>
  /** Whether a change is being applied, or about to be. */
  readonly isBusy: boolean
  close(): Promise<void>
}

/** The tables that applying works on. */
export type ApplyDatabase = Database<ApplyTables & SiteTables & NodeTables>

export interface ApplyParts {
  readonly database: ApplyDatabase
  readonly timers: Timers
  readonly log: Log
  /** The nodes that were onboarded, in the order they are changed: the first is the trial for the others. */
  readonly nodes: () => Promise<readonly ApplyNode[]>
  readonly onApplied: (result: ApplyResult, changes: readonly Change[]) => void
}

/** Changes that come within this are one; each one more prolongs it, up to the longest wait. Milliseconds. */
const quietMs = 250
const longestMs = 1500

/** The turn of transactions that count revisions up. */
export const revisionTurn = 11

export function createApply(parts: ApplyParts): Apply {
  return new BatchedApply(parts)
}

class BatchedApply implements Apply {
  readonly #parts: ApplyParts
  readonly #reader = createSiteReader()
  readonly #batches: Batches<Change, ApplyResult>
  #underWay = 0

  constructor(parts: ApplyParts) {
    this.#parts = parts
    const run = (changes: readonly Change[]) => this.#run(changes)
    this.#batches = createBatches({ timers: parts.timers, quietMs, longestMs, run })
  }

  async request(change: Change): Promise<ApplyResult> {
    this.#underWay += 1
    return await this.#batches.request(change, change.isUrgent).finally(() => (this.#underWay -= 1))
  }

  get isBusy(): boolean {
    return this.#underWay > 0
  }

  close(): Promise<void> {
    return this.#batches.close()
  }

  async #run(changes: readonly Change[]): Promise<ApplyResult> {
    const begun = this.#parts.timers.monotonic()
    const desired = this.#reader.read(await allSiteRows(this.#parts.database.query))
    const runs: NodeRun[] = []
    for (const node of await this.#parts.nodes()) {
      const run = await openNodeTask(this.#parts.database.query, { node, desired, changes })
      const isStopped = runs.some(({ outcome }) => outcome?.kind === 'rejected' || outcome?.kind === 'rolled-back')
      // What the first does not take is not tried on the others.
      if (isStopped) continue
      run.outcome = await applyToNode(run.task)
      runs.push(run)
    }
    const durationMs = Math.round(this.#parts.timers.monotonic() - begun)
    const result = await this.#record(runs, { changes, durationMs })
    this.#parts.onApplied(result, changes)
    return result
  }

  async #record(
    runs: readonly NodeRun[],
    about: { changes: readonly Change[]; durationMs: number },
  ): Promise<ApplyResult> {
    const { database, timers } = this.#parts
    const revisionId = await database.query.transaction().execute(async (trx) => {
      await takeTurn(database.kind, trx, revisionTurn)
      return await recordOutcomes(trx, runs, { ...about, now: timers.now() })
    })
    const applied = runs.flatMap(({ outcome }) => (outcome?.kind === 'applied' ? [outcome] : []))
    return {
      sha: applied[0]?.sha,
      isChanged: applied.some(({ isChanged }) => isChanged),
      revisionId,
      refused: new Map(
        runs.flatMap(({ outcome }) =>
          outcome !== undefined && 'quarantined' in outcome ? [...outcome.quarantined] : [],
        ),
      ),
      nodes: runs.flatMap(({ node, outcome }) => (outcome === undefined ? [] : [{ name: node.row.name, outcome }])),
    }
  }
}
