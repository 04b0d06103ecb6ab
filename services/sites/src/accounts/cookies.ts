import type { Call } from '@hearth/http'
import type { Session } from './schema.ts'
import { cookieFor } from './session-cookie.ts'
import { absoluteLimit, type OpenSession } from './sessions.ts'

type AnyCall = Pick<Call<unknown, undefined, undefined, undefined>, 'answer' | 'client'>

/** Puts keys of sessions and visitors into the caller's cookie, and takes them out. */
export interface SessionCookies {
  /** Hands the key over and returns what may be told of the session. */
  hand(call: AnyCall, opened: OpenSession): Session
  handVisitor(call: AnyCall, key: string): void
  clear(call: AnyCall): void
}

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
