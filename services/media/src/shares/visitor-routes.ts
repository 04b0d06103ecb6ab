import { seeOther, type Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { SharePassword } from './schema.ts'
import { unlockCookie, unlockSeconds } from './share-password.ts'
import type { ShareVisits, Visit } from './visits.ts'

interface VisitorFeatures {
  readonly visits: ShareVisits
  /** Returns the beginning of links for a request, such as `https://media.example.org`. */
  readonly linkBase: (client: { origin: string }) => string
  /** True if users reach the service over https, so that its cookies are marked secure. */
  readonly isPublishedSecurely: boolean
}

/** Routes for whoever has a link. */
export function visitorRoutes(features: VisitorFeatures): Route[] {
  return [...readRoutes(features), passwordRoute(features)]
}

interface VisitorCall extends Pick<Visit, 'header' | 'answer' | 'isHead'> {
  readonly params: { readonly token: string }
  readonly client: { readonly address: string; readonly origin: string }
  readonly cookie: (name: string) => string | undefined
}

const visitOf = (call: VisitorCall, linkBase: VisitorFeatures['linkBase']): Visit => ({
  header: call.header,
  answer: call.answer,
  isHead: call.isHead,
  token: call.params.token,
  address: call.client.address,
  cookie: call.cookie(unlockCookie),
  base: linkBase(call.client),
})

const shared = { tag: 'Shares', access: 'visitor', errorPages: [403, 404] } as const

function readRoutes({ visits, linkBase }: VisitorFeatures): Route[] {
  const read = { ...shared, method: 'GET', errors: [403, 404, 416] } as const
  return [
    route(
      {
        ...read,
        path: '/share/{token}',
        summary: 'Redeem a link',
        description:
          'A browser gets a page with the names of the files and players first; `?download=1` is the file, or an archive of ' +
          'several, and a use of the link. A page that asks for the password has status 403. Whatever is wrong, the answer ' +
          'is the same page with status 404.',
        also: [206],
        limit: '20',
        params: z.object({ token: z.string() }),
        query: z.object({ download: z.string().optional() }),
        success: { status: 200, media: '*/*', description: 'The file, or a page that offers it' },
      },
      (call) =>
        visits.open(
          visitOf(call, linkBase),
          wantsFile({
            isDownload: call.query.download !== undefined,
            accept: call.header('accept') ?? '',
            userAgent: call.client.userAgent,
          }),
        ),
    ),
    route(
      {
        ...read,
        path: '/share/{token}/{file}',
        summary: 'A file of a link',
        description:
          '`1` is the first file and `all.zip` all of them, which are a use of the link; `1.jpg` is its picture and `1.json` ' +
          'the wave of a sound, which are none.',
        also: [206, 304],
        // A page of a hundred sounds asks for as many pictures and waves.
        limit: '600',
        params: z.object({ token: z.string(), file: z.string() }),
        success: { status: 200, media: '*/*', description: 'The file' },
      },
      (call) => visits.openFile(visitOf(call, linkBase), call.params.file),
    ),
  ]
}

function passwordRoute({ visits, linkBase, isPublishedSecurely }: VisitorFeatures): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/share/{token}',
      summary: 'Enter the password of a link',
      description: 'The right one sets a cookie for the address of the link and is answered with 303 to it.',
      limit: '10',
      takes: 'form',
      params: z.object({ token: z.string() }),
      body: SharePassword,
      success: { status: 200, media: 'text/html', description: 'Never' },
      also: [303],
      errors: [403, 404],
    },
    async (call) => {
      const visit = visitOf(call, linkBase)
      const result = await visits.unlock(visit, call.body.password)
      if ('page' in result) return result.page
      if (result.cookie !== undefined)
        call.answer.setCookie(unlockCookie, result.cookie, {
          path: `/share/${visit.token}`,
          httpOnly: true,
          sameSite: 'lax',
          secure: call.client.secure || isPublishedSecurely,
          maxAge: unlockSeconds,
        })
      return seeOther(call, visit.token)
    },
  )
}

/** Programs that look at links in messages, by what they call themselves. */
const preview =
  /bot\b|crawl|spider|preview|externalhit|facebook|whatsapp|telegram|slack|discord|twitter|linkedin|skype|iframely|embed|unfurl|mastodon|pleroma|vkshare|viber|signal|https?:\/\//i

/**
 * Returns true for a caller that gets the file itself, which counts as a use, and false for one that gets the page that offers
 * it: browsers, and programs that only preview a link, whatever they accept; they call themselves a browser, or say in
 * their name what they are. Everything else is a script, which gets the file at once. `isDownload` stands for `?download=1`.
 */
export function wantsFile(request: { isDownload: boolean; accept: string; userAgent: string }): boolean {
  const { isDownload, accept, userAgent } = request
  if (isDownload) return true
  const isBrowser = accept.includes('text/html') || /^mozilla\//i.test(userAgent)
  return !isBrowser && !preview.test(userAgent)
}
