import type { DesiredState } from '../caddy/desired-state.ts'
import { compileConfig } from '../caddy/compile.ts'
import type { CaddyProcess } from '../nodes/caddy-process.ts'
import { placeOf } from '../nodes/node-place.ts'
import type { KnownNode } from '../nodes/nodes.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { Revisions } from './revisions.ts'
import type { StateDiff } from './schema.ts'
import { diffStates } from './state-diff.ts'

/** What a revision changed, or what returning to it would change. */
export type RevisionDiff = (id: number, against: 'previous' | 'current') => Promise<StateDiff>

export interface RevisionDiffParts {
  readonly revisions: Revisions
  readonly desired: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
  readonly own: CaddyProcess | undefined
}

/** Configurations are made anew with the settings of today, so that the difference is that of the sites. */
export function createRevisionDiff(parts: RevisionDiffParts): RevisionDiff {
  return async (id, against) => {
    const { revisions, desired } = parts
    const then = await revisions.sitesAt(id)
    const other = against === 'current' ? await desired() : await revisions.sitesBefore(id)
    const node = await parts.firstNode()
    const state = (sites: readonly DesiredSite[]) => ({
      sites,
      config:
        node === undefined ? undefined : compileConfig(parts.desiredState(sites), placeOf(node, parts.own)).config,
    })
    return diffStates(state(other), state(then))
  }
}
