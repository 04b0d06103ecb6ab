/** What can be wrong with cookies that are handed in or kept. */
export type CookieFault = 'too-large' | 'not-utf8' | 'empty' | 'unreadable' | 'foreign-host' | 'no-login-cookies'

/** Cookies that cannot be used; `message` says why and never contains a value. */
export class CookieError extends Error {
  override readonly name = 'CookieError'
  readonly fault: CookieFault

  constructor(fault: CookieFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}
