import type { Route } from '@hearth/http'
import { z } from 'zod'
import { isRecent, route } from '../access.ts'
import { StateDiff } from '../sites/preview-schema.ts'
import type { DriftActions } from './drift.ts'
import type { ReturnToRevision, RevisionDiff, Revisions } from './revisions.ts'
import {
  CaddyStatus,
  DriftView,
  Revision,
  RevisionListQuery,
  RevisionParams,
  RevisionDiffQuery,
  SyncRequest,
  SyncResult,
} from './schema.ts'
import type { SyncAll } from './sync-sites.ts'

/** Functions behind the endpoints of revisions and drift. */
export interface ApplyRoutesDependencies {
  readonly revisions: Revisions
  readonly status: () => Promise<CaddyStatus>
  readonly syncAll: SyncAll
  readonly diff: RevisionDiff
  readonly returnTo: ReturnToRevision
  readonly drift: DriftActions
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const shared = { tag: 'Caddy', access: 'editor' } as const

const changed = { success: { status: 200, body: SyncResult }, errors: [409, 422, 503] } as const

/** The endpoints of the Caddy status, revisions, drift, and of applying everything again. */
export function applyRoutes(dependencies: ApplyRoutesDependencies): Route[] {
  return [...statusRoutes(dependencies), ...revisionRoutes(dependencies), ...driftRoutes(dependencies)]
}

function statusRoutes({ status, syncAll }: ApplyRoutesDependencies): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/caddy/status',
        summary: 'Whether Caddy is managed, and runs what it should',
        limit: '30/min',
        success: { status: 200, body: CaddyStatus },
      },
      () => status(),
    ),
    route(
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
    ),
  ]
}

function revisionRoutes({ revisions, diff, returnTo, now }: ApplyRoutesDependencies): Route[] {
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

function driftRoutes({ drift }: ApplyRoutesDependencies): Route[] {
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
  ]
}
