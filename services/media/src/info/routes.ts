import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import { unavailable } from '../problems.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { infoView, unavailableInfo, type MediaLookup } from './info.ts'
import { Info, InfoQuery } from './schema.ts'

export interface InfoDependencies {
  readonly lookup: Pick<MediaLookup, 'find'>
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly thumbnails: {
    /** Path on this service of a picture that a platform named; null when there is none. */
    pathOf(media: MediaUrl, named: string | null): Promise<string | null>
  }
}

/** Route for the facts about media before it is downloaded. */
export function infoRoutes(dependencies: InfoDependencies): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/info',
        tag: 'Jobs',
        summary: 'Title, length and formats of a media',
        description: 'A platform that does not answer leads to `unavailable` with everything else null.',
        access: 'member',
        limit: '20',
        query: InfoQuery,
        success: { status: 200, body: Info },
        errors: [503],
      },
      async ({ query }) => {
        const media = await dependencies.readUrl(query.url)
        try {
          const info = await dependencies.lookup.find(media)
          const thumbnail = await dependencies.thumbnails.pathOf(media, info.thumbnail)
          return { ...infoView(media.platform, info), thumbnail }
        } catch (error) {
          if (error instanceof MediaFailure && error.code === 'tool_missing') throw unavailable(error.message)
          return unavailableInfo(media.platform, error instanceof MediaFailure ? error.code : null)
        }
      },
    ),
  ]
}
