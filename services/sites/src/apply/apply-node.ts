import { blameSite } from '../caddy/blame.ts'
import { compileConfig } from '../caddy/compile.ts'
import type { DesiredState } from '../caddy/desired-state.ts'
import type { CaddyProcess } from '../nodes/caddy-process.ts'
import type { ExpectedConfigs } from '../nodes/expected-config.ts'
import { placeOf, reachHost } from '../nodes/node-place.ts'
import { areDifferent } from '../nodes/known-capabilities.ts'
import type { KnownNode, Nodes } from '../nodes/nodes.ts'
import type { ApplyNode } from './apply.ts'
import type { DesiredSite } from './desired-sites.ts'
import { checkServed } from './served-check.ts'

/** What a node's configuration is made with. */
export interface ApplyNodeParts {
  readonly own: CaddyProcess | undefined
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly configs: ExpectedConfigs
  /** Whether changed sites are asked for after a change. */
  readonly isProbing: () => boolean
  /** Probes the node again where it may be another version; see `Nodes.recheck`. */
  readonly recheck: Nodes['recheck']
}

/** A node as applying needs it: with the compiler and the look afterwards. */
export function createApplyNode(node: KnownNode, parts: ApplyNodeParts): ApplyNode {
  const { own, desiredState, configs, isProbing, recheck } = parts
  let place = placeOf(node, own)
  return {
    row: node.row,
    client: node.client,
    configs,
    async adjust() {
      const now = await recheck(node.row.id).catch(() => undefined)
      if (now === undefined || !areDifferent(place.capabilities, now.capabilities)) return false
      place = placeOf(now, own)
      return true
    },
    compile(sites) {
      const { config, places } = compileConfig(desiredState(sites), place)
      return { config, blame: (text) => blameSite(text, places) }
    },
    check: (_config, changed) =>
      isProbing()
        ? checkServed({ host: reachHost(node), httpPort: place.httpPort }, changed)
        : Promise.resolve(undefined),
  }
}
