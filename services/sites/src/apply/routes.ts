import type { Route } from '@hearth/http'
import { z } from 'zod'
import { isRecent, route } from '../access.ts'
import type { DriftKeeper } from './drift-keeper.ts'
import type { ReturnToRevision } from './return-to-revision.ts'
import type { RevisionDiff } from './revision-diff.ts'
import type { Revisions } from './revisions.ts'
import {
  AdoptRequest,
  AdoptResult,
  DriftView,
  Revision,
  RevisionListQuery,
  RevisionParams,
  RevisionDiffQuery,
  StateDiff,
  SyncRequest,
  SyncResult,
} from './schema.ts'
import type { SyncAll } from './sync-all.ts'

/** What the applying of changes shows, and lets be done. */
export interface ApplyRoutesParts {
  readonly revisions: Revisions
  readonly syncAll: SyncAll
  readonly diff: RevisionDiff
  readonly returnTo: ReturnToRevision
  readonly drift: DriftKeeper
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const shared = { tag: 'Caddy', access: 'admin' } as const

const changed = { success: { status: 200, body: SyncResult }, errors: [409, 422, 503] } as const

/** What was applied, what somebody else changed, and applying everything once more. */
export function applyRoutes(parts: ApplyRoutesParts): Route[] {
  return [syncRoute(parts), ...revisionRoutes(parts), ...driftRoutes(parts)]
}

function syncRoute({ syncAll }: ApplyRoutesParts): Route {
  return route(
    {
      ...shared,
      ...changed,
      method: 'POST',
      path: '/api/caddy/sync',
      summary: 'Apply what is wanted',
      description:
        'With `force` even over what somebody else has changed, and with the sites that were refused before.',
      limit: '10/min',
      body: SyncRequest.optional(),
    },
    ({ body, caller }) => syncAll(caller.username, body?.force === true),
  )
}

function revisionRoutes({ revisions, diff, returnTo, now }: ApplyRoutesParts): Route[] {
  const one = { ...shared, params: RevisionParams } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/revisions',
        summary: 'What was applied, newest first',
        description: '`X-Total-Count` says how many there are.',
        limit: '60/min',
        query: RevisionListQuery,
        success: { status: 200, body: z.array(Revision) },
      },
      async ({ query, answer }) => {
        const { rows, total } = await revisions.list(query)
        answer.header('x-total-count', String(total))
        return rows
      },
    ),
    route(
      {
        ...one,
        method: 'GET',
        path: '/api/revisions/{id}',
        summary: 'One change of the configuration',
        limit: '60/min',
        success: { status: 200, body: Revision },
      },
      ({ params }) => revisions.get(params.id),
    ),
    route(
      {
        ...one,
        method: 'GET',
        path: '/api/revisions/{id}/diff',
        summary: 'What a revision changed, or what returning to it would change',
        limit: '60/min',
        query: RevisionDiffQuery,
        success: { status: 200, body: StateDiff },
      },
      ({ params, query }) => diff(params.id, query.against),
    ),
    route(
      {
        ...one,
        ...changed,
        method: 'POST',
        path: '/api/revisions/{id}/return',
        summary: 'Bring all sites back to what a revision left in place',
        limit: '10/min',
      },
      ({ params, caller }) => returnTo(params.id, { author: caller.username, isRecent: isRecent(caller, now()) }),
    ),
  ]
}

function driftRoutes({ drift }: ApplyRoutesParts): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/caddy/drift',
        summary: 'What somebody else has changed',
        limit: '30/min',
        success: { status: 200, body: z.array(DriftView) },
      },
      () => drift.list(),
    ),
    route(
      {
        ...shared,
        ...changed,
        method: 'POST',
        path: '/api/caddy/drift/restore',
        summary: 'Run what is wanted here again',
        limit: '10/min',
        errors: [404, 409, 422, 503],
      },
      ({ caller }) => drift.restore(caller.username),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/caddy/drift/adopt',
        summary: 'Want here what somebody else has changed',
        description: 'As far as sites can have it; what they cannot is lost, and named in the answer.',
        limit: '10/min',
        body: AdoptRequest.optional(),
        success: { status: 200, body: AdoptResult },
        errors: [404, 409, 422, 503],
      },
      ({ body, caller }) => drift.adopt(body?.node_id, caller.username),
    ),
  ]
}
