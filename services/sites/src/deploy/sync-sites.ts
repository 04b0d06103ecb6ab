import type { Log } from '@hearth/runtime'
import type { NewEvent } from '../events/schema.ts'
import { conflict, Problem, unavailable } from '../problems.ts'
import type { SiteChange, Synced, SyncedWhole, SyncSites } from '../sites/sync.ts'
import type { NodeOutcome } from './apply-to-node.ts'
import type { Apply, ApplyResult, TriedNode } from './apply.ts'
import type { SyncResult } from './schema.ts'

/** Applies edits of sites and returns the results in the API's format. */
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

/** Returns the result of a change for those who edited these sites. Throws a problem when nothing of it runs. */
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

/** Returns the result of a change of all sites. Throws a problem when nothing of it runs. */
export function readWholeResult(result: ApplyResult): SyncedWhole {
  const synced = readResult(result, [])
  if (synced.status === 'unknown') return synced
  const errors = result.nodes.flatMap(shortfalls(result.refusedNames))
  return errors.length === 0 ? synced : { ...synced, status: 'partly', error: firstOf(errors) }
}

/** Maximum number of errors shown in full. */
const maxErrors = 5

function firstOf(errors: readonly string[]): string {
  const rest = errors.length - maxErrors
  return [...errors.slice(0, maxErrors), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

/** Returns why a node does not run all that is wanted: it was not reached, or it refused sites. */
function shortfalls(names: ReadonlyMap<number, string>): (node: TriedNode) => string[] {
  return (node) => {
    const { name, outcome } = node
    if (outcome.kind !== 'applied') return [objection(node, []) ?? name]
    return [...outcome.quarantined].map(([id, words]) => `${name} refused the site "${names.get(id) ?? id}": ${words}`)
  }
}

/** Returns the node whose message explains why nothing runs: one that refused, before one that was unreachable. */
function decisive(nodes: readonly TriedNode[]): TriedNode | undefined {
  return nodes.find(({ outcome: { kind } }) => kind === 'rejected' || kind === 'rolled-back') ?? nodes[0]
}

/** Returns why one node of several does not run the edits of these sites; undefined when it does. */
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

/** Returns the event about applied changes; undefined while no Caddy is managed. */
export function appliedEvent(result: ApplyResult, changes: readonly SiteChange[]): NewEvent | undefined {
  if (result.nodes.length === 0) return undefined
  const isApplied = result.nodes.some(({ outcome }) => outcome.kind === 'applied')
  return {
    type: 'apply',
    action: isApplied ? 'applied' : 'failed',
    id: result.revisionId === undefined ? null : String(result.revisionId),
    details: {
      causes: [...new Set(changes.map(({ cause }) => cause))].slice(0, 10),
      refused: [...result.refused.keys()].slice(0, 50),
      nodes: result.nodes.map(({ name, outcome }) => ({ name, outcome: outcome.kind })),
    },
  }
}

/** Applies what is wanted, though nothing was edited. Throws a problem when nothing of it runs. */
export type SyncAll = (author: string, isForced: boolean) => Promise<SyncResult>

const details = {
  synced: 'Caddy runs what is wanted now',
  no_change: 'Caddy runs what is wanted already',
  partly: 'Caddy runs a part of what is wanted',
  pending: 'Not tried yet',
  unknown: 'The connection to Caddy broke off; what runs is being found out',
}

/** Creates the function that applies all sites; `isForced` overwrites changes that somebody else made. */
export function createSyncAll(apply: Apply): SyncAll {
  return async (author, isForced) => {
    const result = await apply.request({
      siteIds: [],
      cause: isForced ? 'restore' : 'sync',
      author,
      isForced,
      isUrgent: true,
    })
    const { status, sha, error } = readWholeResult(result)
    return {
      status,
      config_sha256: sha ?? null,
      synced: status === 'synced' || status === 'no_change',
      detail: error ?? details[status],
      revision_id: result.revisionId ?? null,
    }
  }
}
