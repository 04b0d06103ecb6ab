import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { ThumbnailAnswer, UrlQuery } from './schema.ts'
import type { Picture } from '../pictures/picture.ts'
import type { Thumbnails } from './thumbnails.ts'

/** Pictures of media that are not downloaded, checked and kept here. */
export function thumbnailRoutes({ thumbnails }: { thumbnails: Thumbnails }): Route[] {
  const shared = { method: 'GET', tag: 'Thumbnails', access: 'member' } as const
  const picture = { status: 200, media: 'image/*', description: 'JPEG, PNG or WebP' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/thumbnail/resolve',
        summary: 'The picture of a media, as an address on this service',
        limit: '30',
        query: UrlQuery,
        success: { status: 200, body: ThumbnailAnswer },
      },
      ({ query }) => thumbnails.resolve(query.url),
    ),
    route(
      {
        ...shared,
        path: '/api/thumbnail-cache/{cache_key}',
        summary: 'A picture that is kept here',
        limit: '120',
        params: z.object({ cache_key: z.string() }),
        success: picture,
        errors: [404],
      },
      async ({ params, answer }) => send(answer, await thumbnails.cached(params.cache_key), 604_800),
    ),
    route(
      {
        ...shared,
        path: '/api/thumbnail-proxy',
        summary: 'A picture from one of the platforms’ own hosts',
        limit: '30',
        query: UrlQuery,
        success: picture,
        errors: [502],
      },
      async ({ query, answer }) => send(answer, await thumbnails.proxy(query.url), 3600),
    ),
  ]
}

function send(answer: { header(name: string, value: string): void }, { bytes, media }: Picture, seconds: number) {
  answer.header('content-type', media)
  answer.header('cache-control', `private, max-age=${seconds}${seconds > 86_400 ? ', immutable' : ''}`)
  answer.header('content-security-policy', "default-src 'none'; sandbox")
  return { content: bytes }
}
