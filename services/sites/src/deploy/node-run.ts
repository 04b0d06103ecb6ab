import { updateNodeRow } from './nodes/store.ts'
import type { SiteStateRow } from '../sites/tables.ts'
import { applyToNode, type NodeSnapshot, type NodeOutcome, type NodeTask } from './apply-to-node.ts'
import type { SiteChange } from '../sites/sync.ts'
import type { ApplyNode } from './apply-node.ts'
import { type DesiredSite, siteOfVersion, withFallbacks } from './desired-sites.ts'
import { type Db, findVersions, statesOfNode } from './store.ts'

/** The applying of a change to one node. */
export interface NodeRun {
  readonly node: ApplyNode
  readonly task: NodeTask
  readonly desired: readonly DesiredSite[]
  /** Sites that the trial node refused, with its messages: they are held back here. */
  readonly held: ReadonlyMap<number, string>
  /** States of the sites on this node before the change. */
  readonly states: readonly SiteStateRow[]
  /** The sites as they are served when these were refused. */
  readonly served: (quarantined: ReadonlyMap<number, string>) => DesiredSite[]
  /** Undefined until it was tried. */
  outcome?: NodeOutcome
}

/** Reads the states of the sites on a node and creates the task that applies the change to it. */
export async function openNodeTask(
  db: Db,
  {
    node,
    desired,
    changes,
    held,
    last,
  }: Pick<NodeRun, 'node' | 'desired' | 'held'> & {
    readonly changes: readonly SiteChange[]
    readonly last: NodeTask['last']
  },
): Promise<NodeRun> {
  const states = await statesOfNode(db, node.row.id)
  const fallbacks = await readFallbacks(db, { states, desired })
  const isForced = changes.some((change) => change.isForced === true)
  const isRetrying = isForced || changes.some((change) => change.isRetrying === true)
  const refused = new Map([...(isRetrying ? [] : stillRefused(states, desired, changes)), ...held])
  const served = (quarantined: ReadonlyMap<number, string>) => withFallbacks(desired, quarantined, fallbacks)
  const runs = new Map(states.map((state) => [state.site_id, state.applied_revision]))
  const changed = (sites: readonly DesiredSite[]) => sites.filter((site) => runs.get(site.id) !== site.revision)
  const { row } = node
  const task: NodeTask = {
    client: node.client,
    expected: expectedOf(node),
    last,
    familiar: new Set([row.baseline_sha, row.announced_sha].filter((sha) => sha !== null)),
    isForced,
    refused,
    async announce(sha) {
      await updateNodeRow(db, row.id, { announced_sha: sha })
    },
    adjust: () => node.adjust(),
    compile: (quarantined) => node.compile(served(quarantined)),
    check: (quarantined) => node.check(changed(served(quarantined))),
  }
  return { node, task, desired, held, states, served }
}

function expectedOf({ row, configs }: ApplyNode): NodeTask['expected'] {
  const { id, expected_sha: sha } = row
  if (sha === null) return undefined
  return { sha, readText: async () => (await configs.readText(id)) ?? '{}' }
}

/** The sites as a node serves them: those it refused as they were before, or not at all. */
export async function servedSites(db: Db, nodeId: number, desired: readonly DesiredSite[]): Promise<DesiredSite[]> {
  const states = await statesOfNode(db, nodeId)
  const fallbacks = await readFallbacks(db, { states, desired })
  return withFallbacks(desired, stillRefused(states, desired, []), fallbacks)
}

/** Returns the sites that were refused as they are now, except those the change is about. */
function stillRefused(
  states: readonly SiteStateRow[],
  desired: readonly DesiredSite[],
  changes: readonly SiteChange[],
): Map<number, string> {
  const again = new Set(changes.flatMap(({ siteIds }) => siteIds))
  const revisions = new Map(desired.map((site) => [site.id, site.revision]))
  return new Map(
    states.flatMap(({ site_id: id, refused_revision: refused, error }) =>
      error !== null && refused === revisions.get(id) && !again.has(id) ? [[id, error] as const] : [],
    ),
  )
}

/** The versions that run, of those sites that are wanted in another one. */
async function readFallbacks(
  db: Db,
  { states, desired }: { states: readonly SiteStateRow[]; desired: readonly DesiredSite[] },
): Promise<Map<number, DesiredSite>> {
  const wanted = new Map(desired.map((site) => [site.id, site.revision]))
  const others = states.flatMap(({ site_id: siteId, applied_revision: revision }) =>
    revision !== null && wanted.has(siteId) && wanted.get(siteId) !== revision ? [{ siteId, revision }] : [],
  )
  const rows = await findVersions(db, others)
  return new Map(rows.map((row) => [row.site_id, siteOfVersion(row)]))
}

/** A change and the nodes to apply it to. */
interface Trial {
  readonly nodes: readonly ApplyNode[]
  readonly desired: readonly DesiredSite[]
  readonly changes: readonly SiteChange[]
  /** Last snapshot of each node, by its number. */
  readonly snapshots: ReadonlyMap<number, NodeSnapshot>
}

/**
 * Applies a change to every node. The first that answers is the trial: what it does not take as a whole is not tried on the
 * others (their outcome stays undefined), and a site that it refuses is held back there. The others come at the same time.
 */
export async function tryNodes(db: Db, { nodes, snapshots, ...about }: Trial): Promise<NodeRun[]> {
  const runs: NodeRun[] = []
  const open = (node: ApplyNode, held: ReadonlyMap<number, string>) =>
    openNodeTask(db, { node, held, last: snapshots.get(node.row.id), ...about })
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

/** Returns the sites that the node itself refused, with its messages. */
export function refusedBy({ outcome, held }: NodeRun): Map<number, string> {
  if (outcome === undefined || !('quarantined' in outcome)) return new Map()
  return new Map([...outcome.quarantined].filter(([id]) => !held.has(id)))
}
