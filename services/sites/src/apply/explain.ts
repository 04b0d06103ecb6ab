import type { DesiredState } from '../caddy/desired-state.ts'
import { explainRequest } from '../caddy/explain.ts'
import type { CaddyProcess } from '../nodes/caddy-process.ts'
import { placeOf } from '../nodes/node-place.ts'
import type { KnownNode } from '../nodes/nodes.ts'
import { conflict } from '../problems.ts'
import type { Explanation } from '../sites/explain-schema.ts'
import type { DesiredSite } from './desired-sites.ts'

export interface ExplainParts {
  readonly desired: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
  readonly own: CaddyProcess | undefined
}

/** Thinks a request through with the sites as they are wanted now. */
export function createExplain(parts: ExplainParts) {
  return async (request: { url: string; client_ip?: string | undefined }): Promise<Explanation> => {
    const node = await parts.firstNode()
    if (node === undefined) throw conflict('No Caddy is known yet', 'onboarding_required')
    const state = parts.desiredState(await parts.desired())
    const client = request.client_ip === undefined ? {} : { clientIp: request.client_ip }
    const { steps, answer, ...rest } = explainRequest({ url: request.url, ...client }, state, placeOf(node, parts.own))
    return { ...rest, steps: [...steps], answer: { ...answer } }
  }
}
