import type { SiteStateRow } from '../sites/tables.ts'
import type { SiteChange } from '../sites/sync.ts'
import { statesAfter } from './desired-sites.ts'
import { type NodeRun, refusedBy } from './node-run.ts'
import { type Db, insertRevision, pruneRevisions, putStates } from './store.ts'
import { updateNodeRow } from './nodes/store.ts'
import type { NodeRow } from './nodes/tables.ts'
import type { RevisionRow, RevisionSiteRow } from './tables.ts'

/**
 * Writes down what each node made of a change, and a revision when something about the sites or the configuration is another.
 * Returns the number of the revision.
 */
export async function recordOutcomes(
  trx: Db,
  runs: readonly NodeRun[],
  about: { readonly changes: readonly SiteChange[]; readonly durationMs: number; readonly now: number },
): Promise<number | undefined> {
  const changes: Omit<RevisionSiteRow, 'revision_id'>[] = []
  let isFirst = true
  for (const run of runs) {
    const states = statesOf(run)
    await putStates(trx, states)
    await updateNodeRow(trx, run.node.row.id, nowExpected(run))
    if (run.outcome?.kind !== 'applied') continue
    await run.node.configs.write(trx, run.node.row.id, run.outcome.settled.text)
    if (isFirst) changes.push(...siteChanges(run, states))
    isFirst = false
  }
  const applied = runs.flatMap(({ outcome }) => (outcome?.kind === 'applied' ? [outcome] : []))
  const isChanged = changes.length > 0 || applied.some((outcome) => outcome.isChanged)
  const isRefused = runs.some(({ outcome }) => outcome?.kind === 'rejected' || outcome?.kind === 'rolled-back')
  if (!isChanged && !isRefused) return undefined
  const id = await insertRevision(trx, revisionOf(runs, about), changes)
  await pruneRevisions(trx, id)
  return id
}

/** The announced configuration may still turn out to run when the outcome is unknown. */
function nowExpected({ outcome }: NodeRun): Partial<NodeRow> {
  if (outcome?.kind === 'unknown' || outcome?.kind === 'unreachable' || outcome === undefined) return {}
  if (outcome.kind !== 'applied') return { announced_sha: null }
  return { expected_sha: outcome.settled.sha, announced_sha: null }
}

function statesOf(run: NodeRun): SiteStateRow[] {
  const { outcome, node, states, desired, served } = run
  if (outcome?.kind !== 'applied') return []
  const running = served(outcome.quarantined)
  return statesAfter(node.row.id, states, { desired, running, quarantined: refusedBy(run) })
}

/** Returns how the served versions of sites differ from those before. */
function siteChanges(run: NodeRun, states: readonly SiteStateRow[]): Omit<RevisionSiteRow, 'revision_id'>[] {
  const before = new Map(run.states.map((state) => [state.site_id, state.applied_revision]))
  const names = new Map(run.desired.map((site) => [site.id, site.name]))
  return states.flatMap(({ site_id: id, applied_revision: after }) => {
    const earlier = before.get(id) ?? null
    if (earlier === after) return []
    return [{ site_id: id, name: names.get(id) ?? '', before_revision: earlier, after_revision: after }]
  })
}

function revisionOf(
  runs: readonly NodeRun[],
  { changes, durationMs, now }: { changes: readonly SiteChange[]; durationMs: number; now: number },
): Omit<RevisionRow, 'id'> {
  const outcomes = runs.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
  const applied = outcomes.filter((outcome) => outcome.kind === 'applied')
  const isWhole = applied.length === runs.length && applied.every(({ quarantined }) => quarantined.size === 0)
  const last = changes.at(-1)
  return {
    created_at: now,
    author: last?.author ?? '',
    cause: [...new Set(changes.map(({ cause }) => cause))].join(' ').slice(0, 200),
    outcome: isWhole ? 'applied' : applied.length > 0 ? 'partly' : 'failed',
    sha256: applied[0]?.settled.sha ?? '',
    site_count: runs[0]?.desired.length ?? 0,
    duration_ms: durationMs,
    nodes: JSON.stringify(runs.map((run) => ({ name: run.node.row.name, ...wordsOf(run) }))),
    options: '{}',
  }
}

/** An outcome without the configuration. */
function wordsOf(run: NodeRun): { outcome: string; text?: string; refused?: [number, string][] } {
  const { outcome } = run
  if (outcome === undefined) return { outcome: 'skipped' }
  const own = refusedBy(run)
  const refused = own.size > 0 ? { refused: [...own] } : {}
  const text = 'text' in outcome ? { text: outcome.text } : {}
  return { outcome: outcome.kind, ...text, ...refused }
}
