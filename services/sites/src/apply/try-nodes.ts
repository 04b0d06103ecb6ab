import type { ApplyNode, Change } from './apply.ts'
import { applyToNode, type LastLook } from './apply-to-node.ts'
import type { DesiredSite } from './desired-sites.ts'
import { openNodeTask, type NodeRun } from './node-run.ts'
import type { Db } from './store.ts'

/** What is to be applied, and where. */
export interface Trial {
  readonly nodes: readonly ApplyNode[]
  readonly desired: readonly DesiredSite[]
  readonly changes: readonly Change[]
  /** What each node ran when it was last looked at, by its number. */
  readonly looks: ReadonlyMap<number, LastLook>
}

/**
 * Applies a change to every node. The first that answers is the trial: what it does not take as a whole is not tried on the
 * others (their outcome stays undefined), and a site that it refuses is held back there. The others come at the same time.
 */
export async function tryNodes(db: Db, { nodes, looks, ...about }: Trial): Promise<NodeRun[]> {
  const runs: NodeRun[] = []
  const open = (node: ApplyNode, held: ReadonlyMap<number, string>) =>
    openNodeTask(db, { node, held, last: looks.get(node.row.id), ...about })
  for (const node of nodes) {
    const run = await open(node, new Map())
    run.outcome = await applyToNode(run.task)
    runs.push(run)
    if (isTrial(run)) break
  }
  const trial = trialOf(runs)
  const held = trial === undefined ? new Map<number, string>() : refusedBy(trial)
  const others = await Promise.all(nodes.slice(runs.length).map((node) => open(node, held)))
  if (trial?.outcome?.kind === 'applied')
    await Promise.all(others.map(async (run) => (run.outcome = await applyToNode(run.task))))
  return [...runs, ...others]
}

/** The node that was the trial: the first that has said something about the change itself. */
export function trialOf(runs: readonly NodeRun[]): NodeRun | undefined {
  return runs.find(isTrial)
}

function isTrial({ outcome }: NodeRun): boolean {
  return outcome?.kind === 'applied' || outcome?.kind === 'rejected' || outcome?.kind === 'rolled-back'
}

/** Sites that the node itself refused, with its words. */
export function refusedBy({ outcome, held }: NodeRun): Map<number, string> {
  if (outcome === undefined || !('quarantined' in outcome)) return new Map()
  return new Map([...outcome.quarantined].filter(([id]) => !held.has(id)))
}
