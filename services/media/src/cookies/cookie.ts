/** One cookie as a browser keeps it. */
export interface Cookie {
  /** Lower case, without a dot in front. */
  readonly domain: string
  readonly includeSubdomains: boolean
  /** Begins with a slash. */
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
  /** Unix seconds; null for the length of a browser session. */
  readonly expires: number | null
  /** Not empty. */
  readonly name: string
  readonly value: string
}

/** A cookie as some text says it is, before it is checked. */
export interface CookieDraft {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path?: string | undefined
  readonly secure?: boolean | undefined
  readonly httpOnly?: boolean | undefined
  readonly hostOnly?: boolean | undefined
  /** Unix seconds; missing, zero and negative ones mean the length of a session. */
  readonly expires?: number | undefined
}

/** Bytes of one cookie, name and value together. */
const maxCookieBytes = 8 * 1024

/** No blanks, no separators: what a header and a line of a jar can carry as a name. */
const nameGrammar = /^[!#$%&'*+\-.^_`|~\w[\]:]+$/

/** Visible ASCII and blanks between, without the semicolon that ends a value in a header. */
const valueGrammar = /^(?! )[ -:<-~]*(?<! )$/

/** Makes a cookie of a draft; undefined when a jar could not carry it, so that no line of a jar is ever broken. */
export function makeCookie(draft: CookieDraft): Cookie | undefined {
  const { name, value, path = '/', secure = true, httpOnly = false, expires = 0 } = draft
  const domain = draft.domain.toLowerCase().replace(/^\./, '')
  const seconds = Math.trunc(expires)
  if (!nameGrammar.test(name) || !valueGrammar.test(value) || name.length + value.length > maxCookieBytes)
    return undefined
  if (!/^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(domain) || domain.length > 253) return undefined
  const isSession = !(seconds > 0 && Number.isSafeInteger(seconds))
  return {
    domain,
    includeSubdomains: draft.hostOnly !== true,
    path: /^\/[!-~]{0,1023}$/.test(path) ? path : '/',
    secure,
    httpOnly,
    expires: isSession ? null : seconds,
    name,
    value,
  }
}

/** Reasons to refuse cookies. */
export type CookieErrorCode = 'too-large' | 'not-utf8' | 'empty' | 'unreadable' | 'foreign-host' | 'no-login-cookies'

/** Cookies that cannot be used; `message` says why and never contains a value. */
export class CookieError extends Error {
  override readonly name = 'CookieError'
  readonly fault: CookieErrorCode

  constructor(fault: CookieErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}
