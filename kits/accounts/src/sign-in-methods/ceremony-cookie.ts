import { createSessionKey } from '@hearth/credentials'
import type { Call } from '@hearth/http'
import { challengeLifetime } from '../passkeys/challenges.ts'

type AnyCall = Pick<Call<unknown, undefined, undefined, undefined>, 'answer' | 'client' | 'cookie'>

/** What `createSessionKey` makes. */
const keyForm = /^[\w-]{43}$/

/** Where a service keeps the key of a browser that signs in by passkey. */
export interface CeremonyCookie {
  readonly name: string
  /** The only paths that the browser sends it to. */
  readonly path: string
  /** Whether users reach the service over https alone. */
  readonly isPublishedSecurely: boolean
}

/** The cookie that binds a sign-in by passkey to one browser, as long as its challenge is good. */
export function createCeremonyCookie({ name, path, isPublishedSecurely }: CeremonyCookie) {
  const options = ({ client }: Pick<AnyCall, 'client'>) =>
    ({ httpOnly: true, sameSite: 'strict', path, secure: client.secure || isPublishedSecurely }) as const
  const read = (call: Pick<AnyCall, 'cookie'>) => {
    const key = call.cookie(name)
    return key !== undefined && keyForm.test(key) ? key : undefined
  }
  return {
    read,
    /** Returns the browser's key; keeps one that it has, so that two of its windows do not disturb each other. */
    renew(call: AnyCall): string {
      const key = read(call) ?? createSessionKey()
      call.answer.setCookie(name, key, { ...options(call), maxAge: challengeLifetime / 1000 })
      return key
    },
    clear(call: AnyCall): void {
      call.answer.clearCookie(name, options(call))
    },
  }
}
