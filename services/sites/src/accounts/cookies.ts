import type { Call } from '@hearth/http'
import type { Session } from './schema.ts'
import { cookieFor } from './session-cookie.ts'
import { absoluteLimit, type OpenSession } from './sessions.ts'

type AnyCall = Pick<Call<unknown, undefined, undefined, undefined>, 'answer' | 'client'>

/** Sets and clears the cookie that holds the key of a session or visitor. */
export interface SessionCookies {
  /** Sets the cookie and returns what the page may know of the session. */
  hand(call: AnyCall, opened: OpenSession): Session
  handVisitor(call: AnyCall, key: string): void
  clear(call: AnyCall): void
}

/** Creates the cookies. They are `Secure` over HTTPS and when the request names the host of an HTTPS `publicUrl`. */
export function createSessionCookies(publicUrl: string | undefined): SessionCookies {
  const set = ({ answer, client }: AnyCall, key: string) => {
    const { name, options } = cookieFor(client, publicUrl)
    answer.setCookie(name, key, { ...options, maxAge: absoluteLimit / 1000 })
  }
  return {
    hand(call, { key, session }) {
      set(call, key)
      return session
    },
    handVisitor: set,
    clear({ answer, client }) {
      const { name, options } = cookieFor(client, publicUrl)
      answer.clearCookie(name, options)
    },
  }
}
