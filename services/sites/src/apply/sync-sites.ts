import type { Log } from '@hearth/runtime'
import { conflict, Problem, unavailable } from '../problems.ts'
import type { Synced, SyncedWhole, SyncSites } from '../sites/sync.ts'
import type { Apply, ApplyResult, TriedNode } from './apply.ts'
import type { NodeOutcome } from './apply-to-node.ts'

/** Applies edits of sites, and says in the words of the API what became of them. */
export function createSyncSites(apply: Apply, log: Log): SyncSites {
  return {
    async now(change) {
      return readResult(await apply.request(change), change.siteIds)
    },
    async many(change) {
      const result = await apply.request(change)
      return { synced: readWholeResult(result), refused: result.refused }
    },
    async onNode(nodeId, change) {
      const result = await apply.request(change)
      const own = result.nodes.find(({ id }) => id === nodeId) ?? decisive(result.nodes)
      return own === undefined || own.outcome.kind === 'applied' ? readResult(result, []) : failed(own.outcome)
    },
    later(change) {
      apply.request(change).catch((error: unknown) => log.error({ err: error }, 'a change could not be applied'))
      return { status: 'pending' }
    },
  }
}

/** What a change came to, for those who edited these sites. Throws a problem when nothing of it runs. */
export function readResult(result: ApplyResult, siteIds: readonly number[]): Synced {
  for (const id of siteIds) {
    const words = result.refusedByTrial.has(id) ? result.refused.get(id) : undefined
    if (words !== undefined) throw refusedSite(id, words)
  }
  const first = decisive(result.nodes)
  if (first === undefined)
    throw conflict('Onboarding is required first: no Caddy is managed yet', 'onboarding_required')
  const applied = result.nodes.filter(({ outcome }) => outcome.kind === 'applied')
  if (applied.length === 0) return failed(first.outcome)
  const error = result.nodes.flatMap((node) => objection(node, siteIds) ?? [])
  return {
    status: result.isChanged ? 'synced' : 'no_change',
    ...(result.sha === undefined ? {} : { sha: result.sha }),
    ...(error.length === 0 ? {} : { error: error.join('; ') }),
  }
}

/** What a change of everything came to. Throws a problem when nothing of it runs. */
export function readWholeResult(result: ApplyResult): SyncedWhole {
  const synced = readResult(result, [])
  if (synced.status === 'unknown') return synced
  const errors = result.nodes.flatMap(shortfalls(result.refusedNames))
  return errors.length === 0 ? synced : { ...synced, status: 'partly', error: firstOf(errors) }
}

/** Errors that are told in full, at most. */
const mostErrors = 5

function firstOf(errors: readonly string[]): string {
  const rest = errors.length - mostErrors
  return [...errors.slice(0, mostErrors), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

/** Why a node does not run all that is wanted: it was not reached, or it refused sites. */
function shortfalls(names: ReadonlyMap<number, string>): (node: TriedNode) => string[] {
  return (node) => {
    const { name, outcome } = node
    if (outcome.kind !== 'applied') return [objection(node, []) ?? name]
    return [...outcome.quarantined].map(([id, words]) => `${name} refused the site "${names.get(id) ?? id}": ${words}`)
  }
}

/** The node whose words explain why nothing runs: one that has refused, before one that was not there. */
function decisive(nodes: readonly TriedNode[]): TriedNode | undefined {
  return nodes.find(({ outcome: { kind } }) => kind === 'rejected' || kind === 'rolled-back') ?? nodes[0]
}

/** What a node among several has against the edits of these sites; undefined for nothing. */
function objection({ name, outcome }: TriedNode, siteIds: readonly number[]): string | undefined {
  if (outcome.kind !== 'applied') return `${name}: ${'text' in outcome ? outcome.text : 'changed by somebody else'}`
  const words = siteIds.flatMap((id) => outcome.quarantined.get(id) ?? [])
  return words.length === 0 ? undefined : `${name} refused the site: ${words.join('; ')}`
}

function failed(outcome: NodeOutcome): Synced {
  switch (outcome.kind) {
    case 'unknown':
      return { status: 'unknown', error: outcome.text }
    case 'unreachable':
      throw unavailable(`Nothing was changed: ${outcome.text}`, { code: 'admin_unreachable' })
    case 'drifted':
      throw conflict('Somebody else has changed the configuration of Caddy; adopt or restore it first', 'drift')
    case 'rolled-back':
      throw refused('What ran before runs again, because the change did not do', 'rolled_back', outcome.text)
    case 'rejected':
      throw refused('Caddy refused the configuration; what ran before goes on', 'rejected', outcome.text)
    case 'applied':
      return { status: 'synced' }
  }
}

function refused(detail: string, code: string, words: string): Problem {
  return new Problem(422, detail, { code, errors: [{ message: detail, caddy_error: words }] })
}

function refusedSite(id: number, words: string): Problem {
  const message = 'Caddy refused the site; what ran before goes on'
  return new Problem(422, message, { code: 'site_refused', errors: [{ site_id: id, message, caddy_error: words }] })
}
