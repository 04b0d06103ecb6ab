import type { Publish } from '../events/schema.ts'
import type { ApplyResult, Change } from './apply.ts'

/** Tells everyone what became of changes. Where no Caddy is managed yet there is nothing to tell. */
export function publishApplied(publish: Publish, result: ApplyResult, changes: readonly Change[]): void {
  if (result.nodes.length === 0) return
  const isApplied = result.nodes.some(({ outcome }) => outcome.kind === 'applied')
  publish({
    type: 'apply',
    action: isApplied ? 'applied' : 'failed',
    id: result.revisionId === undefined ? null : String(result.revisionId),
    details: {
      causes: [...new Set(changes.map(({ cause }) => cause))].slice(0, 10),
      refused: [...result.refused.keys()].slice(0, 50),
      nodes: result.nodes.map(({ name, outcome }) => ({ name, outcome: outcome.kind })),
    },
  })
}
