import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { Revisions } from './revisions.ts'
import { Revision, RevisionListQuery, RevisionParams, SyncRequest, SyncResult } from './schema.ts'
import type { SyncAll } from './sync-all.ts'

/** What the applying of changes shows, and lets be done. */
export interface ApplyRoutesParts {
  readonly revisions: Revisions
  readonly syncAll: SyncAll
}

const shared = { tag: 'Caddy', access: 'admin' } as const

/** What was applied, and applying everything once more. */
export function applyRoutes({ revisions, syncAll }: ApplyRoutesParts): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/caddy/sync',
        summary: 'Apply what is wanted',
        description:
          'With `force` even over what somebody else has changed, and with the sites that were refused before.',
        limit: '10/min',
        body: SyncRequest.optional(),
        success: { status: 200, body: SyncResult },
        errors: [409, 422, 503],
      },
      ({ body, caller }) => syncAll(caller.username, body?.force === true),
    ),
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
        ...shared,
        method: 'GET',
        path: '/api/revisions/{id}',
        summary: 'One change of the configuration',
        limit: '60/min',
        params: RevisionParams,
        success: { status: 200, body: Revision },
      },
      ({ params }) => revisions.get(params.id),
    ),
  ]
}
