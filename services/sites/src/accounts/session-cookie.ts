import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Call } from '@hearth/http'
import type { Session } from './schema.ts'
import type { OpenSession } from './sessions.ts'

/** Absolute lifetime of a session and its cookie, milliseconds: a day, whatever the activity. */
export const maxSessionAge = 86_400_000

/** The address by which a caller reached the service. */
interface Client {
  readonly host: string
  readonly secure: boolean
}

/** Name and options of the cookie of sessions and visitors for one caller. */
interface SessionCookie {
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

type AnyCall = Pick<Call<unknown, undefined, undefined, undefined>, 'answer' | 'client'>

/** Sets and clears the cookie that holds the key of a session or visitor. */
export type SessionCookies = ReturnType<typeof createSessionCookies>

/** Creates the cookies. They are `Secure` over HTTPS and when the request names the host of an HTTPS `publicUrl`. */
export function createSessionCookies(publicUrl: string | undefined) {
  const setKey = ({ answer, client }: AnyCall, key: string) => {
    const { name, options } = cookieFor(client, publicUrl)
    answer.setCookie(name, key, { ...options, maxAge: maxSessionAge / 1000 })
  }
  return {
    /** Sets the cookie and returns what the page may know of the session. */
    set(call: AnyCall, { key, session }: OpenSession): Session {
      setKey(call, key)
      return session
    },
    setVisitor: setKey,
    clear({ answer, client }: AnyCall): void {
      const { name, options } = cookieFor(client, publicUrl)
      answer.clearCookie(name, options)
    },
  }
}
