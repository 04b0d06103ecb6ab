import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import type { Feeds } from './feeds.ts'
import { Feed, FeedCreate, FeedDeleted, FeedList } from './schema.ts'

interface FeedFeatures {
  readonly feeds: Feeds
  readonly securityLog: SecurityLog
  /** Returns the beginning of addresses for a request, such as `https://media.example.org`. */
  readonly linkBase: (client: { origin: string }) => string
}

/** Making feeds, and reading them with the token in their address. */
export function feedRoutes(features: FeedFeatures): Route[] {
  return [...ownRoutes(features), ...readRoutes(features)]
}

function ownRoutes({ feeds, securityLog, linkBase }: FeedFeatures): Route[] {
  const shared = { tag: 'Feeds', path: '/api/feeds', access: 'account', limit: '30' } as const
  return [
    route(
      { ...shared, method: 'GET', summary: 'Feeds of the finished sounds', success: { status: 200, body: FeedList } },
      ({ client }) => feeds.list(linkBase(client)),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make a feed',
        description: 'For podcast apps: whoever has its address gets every finished sound, without signing in.',
        body: FeedCreate,
        success: { status: 201, body: Feed },
        errors: [409],
      },
      async ({ body, caller, client }) => {
        const created = feeds.create(body.name, linkBase(client))
        const origin = eventOrigin(caller, client)
        return securityLog.recordAfter(created, { kind: 'token_created', ...origin, target: body.name, detail: 'feed' })
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/feeds/{id}',
        summary: 'Delete a feed; its address gives nothing any more',
        params: z.object({ id: z.uuid().toLowerCase() }),
        success: { status: 200, body: FeedDeleted },
        errors: [404],
      },
      async ({ params, caller, client }) => {
        const target = await feeds.delete(params.id)
        await securityLog.record({ kind: 'token_revoked', ...eventOrigin(caller, client), target, detail: 'feed' })
        return { ok: true as const }
      },
    ),
  ]
}

function readRoutes({ feeds, linkBase }: FeedFeatures): Route[] {
  const shared = { method: 'GET', tag: 'Feeds', access: 'public' } as const
  return [
    route(
      {
        ...shared,
        path: '/feed/{token}',
        summary: 'The newest 200 finished sounds as RSS',
        limit: '60',
        params: z.object({ token: z.string() }),
        success: { status: 200, media: 'application/rss+xml', description: 'RSS 2.0 with enclosures' },
        also: [304],
        errors: [404],
      },
      ({ params, client, header, answer, isHead }) =>
        feeds.read({ token: params.token, header, answer, isHead }, linkBase(client)),
    ),
    route(
      {
        ...shared,
        path: '/feed/{token}/{file}',
        summary: 'A sound of a feed, or its picture',
        limit: '120',
        params: z.object({ token: z.string(), file: z.string() }),
        success: { status: 200, media: '*/*', description: 'MP3 or JPEG' },
        also: [206, 304],
        errors: [404, 416, 503],
      },
      ({ params, header, answer, isHead }) => {
        const [, jobId = '', kind = ''] = /^([0-9a-f-]{36})\.(mp3|jpg)$/.exec(params.file) ?? []
        return feeds.readFile(
          { token: params.token, header, answer, isHead },
          { jobId, kind: kind === 'jpg' ? kind : 'mp3' },
        )
      },
    ),
  ]
}
