import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { Follows } from './follows.ts'
import { Follow, FollowChange, FollowCreate, FollowDeleted, FollowList } from './schema.ts'

const FollowPath = z.object({ id: z.uuid().toLowerCase() })

/** Followed playlists and channels. */
export function followRoutes({ follows }: { follows: Follows }): Route[] {
  const shared = { tag: 'Lists', access: 'submitter', limit: '30', path: '/api/followed' } as const
  const one = { ...shared, path: '/api/followed/{id}', params: FollowPath } as const
  const success = { status: 200, body: Follow } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        access: 'member',
        limit: '60',
        summary: 'Followed playlists and channels',
        success: { status: 200, body: FollowList },
      },
      () => follows.list(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Follow a playlist or channel',
        description:
          'It is checked from time to time, and what is new and passes the filter is downloaded, each medium once.',
        body: FollowCreate,
        success: { status: 201, body: Follow },
        errors: [409],
      },
      ({ body }) => follows.create(body),
    ),
    route(
      { ...one, method: 'PATCH', summary: 'Change a followed list', body: FollowChange, success, errors: [404] },
      ({ params, body }) => follows.change(params.id, body),
    ),
    route(
      {
        ...one,
        method: 'POST',
        path: '/api/followed/{id}/check',
        summary: 'Check a followed list now',
        limit: '10',
        success,
        errors: [404, 409],
      },
      ({ params }) => follows.checkNow(params.id),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Follow a list no longer; its downloads stay',
        success: { status: 200, body: FollowDeleted },
        errors: [404],
      },
      async ({ params }) => {
        await follows.delete(params.id)
        return { ok: true as const }
      },
    ),
  ]
}
