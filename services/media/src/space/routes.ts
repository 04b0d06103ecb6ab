import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { MediaLookup } from '../info/info.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import {
  EvictionList,
  EvictionQuery,
  ForecastQuery,
  PreviewQuery,
  StorageForecast,
  StoragePlan,
  StorageUsage,
} from './schema.ts'
import type { Space } from './space.ts'

export interface SpaceRouteDependencies {
  readonly space: Space
  readonly lookup: Pick<MediaLookup, 'find'>
  readonly readUrl: (text: string) => Promise<MediaUrl>
}

/** What stored files take, and what goes to make room. */
export function spaceRoutes({ space, lookup, readUrl }: SpaceRouteDependencies): Route[] {
  const shared = { method: 'GET', tag: 'Storage', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/storage',
        summary: 'What stored files take, by kind, and the budget',
        limit: '60',
        success: { status: 200, body: StorageUsage },
      },
      () => space.usage(),
    ),
    route(
      {
        ...shared,
        path: '/api/storage/preview',
        summary: 'What would go for a budget; nothing does',
        description: 'Running and pinned downloads never go, and neither do those with a share link that works.',
        limit: '60',
        query: PreviewQuery,
        success: { status: 200, body: StoragePlan },
      },
      ({ query }) => space.preview(query),
    ),
    route(
      {
        ...shared,
        path: '/api/storage/forecast',
        summary: 'What a download would take, and what would go for it',
        limit: '20',
        query: ForecastQuery,
        success: { status: 200, body: StorageForecast },
      },
      async ({ query: { url, type, quality } }) => {
        const info = await lookup.find(await readUrl(url)).catch((error: unknown) => {
          if (error instanceof MediaFailure) return undefined
          throw error
        })
        return space.forecast(info, { type, quality })
      },
    ),
    route(
      {
        ...shared,
        path: '/api/storage/log',
        summary: 'What went to make room, newest first',
        limit: '60',
        query: EvictionQuery,
        success: { status: 200, body: EvictionList },
      },
      ({ query }) => space.evictions(query.limit),
    ),
  ]
}
