import type { Route } from '@hearth/http'
import { ReleaseInfo, type ReleaseCheck } from '@hearth/service'
import { route } from '../access.ts'
import { ReleaseQuery } from './schema.ts'

/** The check for a newer version. */
export function releaseRoutes(releases: ReleaseCheck): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/admin/api/check-updates',
        tag: 'Administration',
        summary: 'Version and newest release',
        description: 'Cached for an hour, a failure for a minute; a forced check at most every 30 seconds.',
        access: 'admin',
        limit: 'counted',
        query: ReleaseQuery,
        success: { status: 200, body: ReleaseInfo },
      },
      ({ query }) => releases.check(query.refresh),
    ),
  ]
}
