import { FileForm, type Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import { maxCookieTextBytes } from './cookie-text.ts'
import { removeCookies, storeCookieFile, storePastedCookies } from './cookies.ts'
import type { CookieJars } from './jars.ts'
import { CookiePaste, CookieSnapshot } from './schema.ts'

const PlatformPath = z.object({ platform: z.string() })

export interface CookieFeatures {
  readonly jars: CookieJars
  readonly pauses: Pick<PlatformPauses, 'tryNow'>
}

/** Routes for the cookies of accounts at the platforms. Values of cookies are never read back. */
export function cookieRoutes({ jars, pauses }: CookieFeatures): Route[] {
  /** A platform that refused this server is tried with them at once. */
  const tried = async (stored: Promise<CookieSnapshot>): Promise<CookieSnapshot> => {
    const snapshot = await stored
    await pauses.tryNow(snapshot.platform)
    return snapshot
  }
  const shared = { tag: 'Cookies', access: 'member' } as const
  const one = {
    ...shared,
    access: 'account',
    path: '/api/cookies/{platform}',
    params: PlatformPath,
    limit: '10',
  } as const
  const success = { status: 200, body: CookieSnapshot } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/cookies',
        summary: 'State of the cookies of every platform',
        limit: '30',
        success: { status: 200, body: z.array(CookieSnapshot) },
      },
      () => jars.describeAll(),
    ),
    route(
      {
        ...one,
        method: 'POST',
        summary: 'Store an exported cookie file',
        takes: { upload: { maxBytes: maxCookieTextBytes } },
        body: FileForm,
        success,
        errors: [404],
      },
      ({ params, body }) => tried(storeCookieFile(jars, params.platform, body.file.bytes)),
    ),
    route(
      {
        ...one,
        method: 'POST',
        path: '/api/cookies/{platform}/paste',
        summary: 'Store cookies from a copied request, header or JSON export',
        body: CookiePaste,
        // The text in JSON, where one character may take six; the jar itself is measured again.
        maxBodyBytes: 6 * maxCookieTextBytes,
        success,
        errors: [404],
      },
      ({ params, body }) => tried(storePastedCookies(jars, params.platform, body.text)),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Forget the cookies of a platform',
        success: { status: 200, body: z.object({ ok: z.literal(true), message: z.string() }).meta({ id: 'Done' }) },
        errors: [404],
      },
      async ({ params }) => {
        await removeCookies(jars, params.platform)
        return { ok: true as const, message: 'The cookies are forgotten' }
      },
    ),
  ]
}
