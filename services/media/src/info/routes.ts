import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import { unavailable } from '../problems.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { infoView, unavailableInfo } from './info-view.ts'
import type { MediaLookup } from './info.ts'
import { Info, InfoQuery } from './schema.ts'

/** What the route is made with. */
export interface InfoParts {
  readonly lookup: MediaLookup
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly thumbnails: Pick<Thumbnails, 'pathOf'>
}

/** What is known of a media before it is fetched. */
export function infoRoutes(parts: InfoParts): Route[] {
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
        const media = await parts.readUrl(query.url)
        try {
          const info = await parts.lookup.look(media)
          const thumbnail = await parts.thumbnails.pathOf(media, info.thumbnail)
          return { ...infoView(media.platform, info), thumbnail }
        } catch (error) {
          if (error instanceof MediaFailure && error.code === 'tool_missing') throw unavailable(error.message)
          return unavailableInfo(media.platform, error instanceof MediaFailure ? error.code : null)
        }
      },
    ),
  ]
}
