import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Lists } from './lists.ts'
import { ListQuery, MediaList } from './schema.ts'

/** Route for the media of a playlist or channel. */
export function listRoutes({ lists }: { lists: Lists }): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/playlist',
        tag: 'Lists',
        summary: 'Media of a playlist or channel, to choose from',
        description:
          'Of YouTube, TikTok and Instagram, at most 1,000 entries, for 90 seconds at most. Nothing is downloaded.',
        access: 'member',
        limit: '10',
        query: ListQuery,
        success: { status: 200, body: MediaList },
        errors: [502, 503],
      },
      ({ query }) => lists.find(query.url, query.type),
    ),
  ]
}
