import type { CookieSerializeOptions } from '@fastify/cookie'

/** The address by which a caller reached the service. */
interface Client {
  readonly host: string
  readonly secure: boolean
}

/** The cookie of sessions and visitors, as it is called and kept for one caller. */
export interface SessionCookie {
  readonly name: string
  readonly options: CookieSerializeOptions
}

/** The name of the cookie at http; other services on the same host name have theirs. */
export const plainCookieName = 'hearth_sites_session'

/**
 * At https the name begins with `__Host-`, so that no neighbouring name can set the cookie. A proxy that says nothing of https
 * is believed to use it when the service is addressed as `PUBLIC_URL` has it.
 */
export function cookieFor(client: Client, publicUrl: string | undefined): SessionCookie {
  const isSecure = client.secure || isPublished(client, publicUrl)
  return {
    name: isSecure ? `__Host-${plainCookieName}` : plainCookieName,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure },
  }
}

function isPublished({ host }: Client, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'https:' && hostname === host.toLowerCase()
}
