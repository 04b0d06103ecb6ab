import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import { ShareLink, SharesRevoked } from './schema.ts'
import type { Shares } from './shares.ts'

interface ShareFeatures {
  readonly shares: Shares
  /** Returns the beginning of links for a request, such as `https://media.example.org`. */
  readonly linkBase: (client: { origin: string }) => string
}

const shared = {
  tag: 'Shares',
  access: 'submitter',
  path: '/api/share/{job_id}',
  limit: '20',
  params: JobPath,
} as const

/** Routes for share links. */
export function shareRoutes({ shares, linkBase }: ShareFeatures): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make a link to the file, or give the present one',
        success: { status: 200, body: ShareLink },
        errors: [404],
      },
      ({ params, client }) => shares.create(params.job_id, linkBase(client)),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'The links to the file',
        success: { status: 200, body: z.array(ShareLink) },
      },
      ({ params, client }) => shares.list(params.job_id, linkBase(client)),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Take back every link to the file',
        success: { status: 200, body: SharesRevoked },
      },
      async ({ params }) => ({ ok: true as const, deleted: await shares.revoke(params.job_id) }),
    ),
    route(
      {
        method: 'GET',
        path: '/share/{token}',
        tag: 'Shares',
        summary: 'Redeem a link',
        description:
          'A browser gets a page with the file’s name and a player first; `?download=1` is the file, and a use of the link. ' +
          'Whatever is wrong, the answer is the same page with status 404.',
        access: 'public',
        limit: '20',
        params: z.object({ token: z.string() }),
        query: z.object({ download: z.string().optional() }),
        success: { status: 200, media: '*/*', description: 'The file, or a page that offers it' },
        also: [206],
        errors: [404, 416],
        errorPages: [404],
      },
      (call) =>
        shares.redeem({
          header: call.header,
          answer: call.answer,
          token: call.params.token,
          address: call.client.address,
          wantsFile: wantsFile({
            isDownload: call.query.download !== undefined,
            accept: call.header('accept') ?? '',
            userAgent: call.client.userAgent,
          }),
          isHead: call.isHead,
        }),
    ),
  ]
}

/** Programs that look at links in messages, by what they call themselves. */
const preview =
  /bot\b|crawl|spider|preview|externalhit|facebook|whatsapp|telegram|slack|discord|twitter|linkedin|skype|iframely|embed|unfurl|mastodon|pleroma|vkshare|viber|signal|https?:\/\//i

/**
 * Returns true for a caller that gets the file itself, which counts as a use, and false for one that gets the page that offers
 * it: browsers, and programs that only preview a link, whatever they accept; they call themselves a browser, or say in
 * their name what they are. Everything else is a script, which gets the file at once. `isDownload` stands for `?download=1`,
 * of the landing page's own button and player.
 */
export function wantsFile(request: { isDownload: boolean; accept: string; userAgent: string }): boolean {
  const { isDownload, accept, userAgent } = request
  if (isDownload) return true
  const isBrowser = accept.includes('text/html') || /^mozilla\//i.test(userAgent)
  return !isBrowser && !preview.test(userAgent)
}
