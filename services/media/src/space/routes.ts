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
  /** Takes the storage as it is, without the recorded files. Throws a problem when they are there. */
  readonly acceptStorage: () => Promise<void>
  readonly lookup: Pick<MediaLookup, 'find'>
  readonly readUrl: (text: string) => Promise<MediaUrl>
}

const shared = { method: 'GET', tag: 'Storage', access: 'member' } as const

/** What stored files take, and what goes to make room. */
export function spaceRoutes(dependencies: SpaceRouteDependencies): Route[] {
  const { space, lookup, readUrl } = dependencies
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
    acceptRoute(dependencies),
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

function acceptRoute({ space, acceptStorage }: SpaceRouteDependencies): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/storage/accept',
      summary: 'Use the storage as it is, without the recorded files',
      description:
        'While the disk with the recorded files is missing, nothing new is stored. When they are gone for good, this lets downloads go on.',
      limit: '20',
      success: { status: 200, body: StorageUsage },
      errors: [409],
    },
    async () => {
      await acceptStorage()
      return space.usage()
    },
  )
}
