import { createCookieClient, nextAddress, type RequestContent } from '@hearth/testing'
import { plainCookieName } from '../src/accounts/session-cookie.ts'

/** Content of a call. */
export interface CallOptions extends Omit<RequestContent, 'form' | 'upload'> {
  /** Address that the request comes from; a new one when left out. */
  readonly from?: string
  /** Leaves the CSRF token out. */
  readonly isBare?: boolean
}

/** An answer with its parsed body. */
export interface JsonAnswer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** One browser: it keeps cookies, and asks for the CSRF token before its first write. */
export interface Browser {
  readonly cookies: Map<string, string>
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
  json<T>(method: string, path: string, options?: CallOptions): Promise<JsonAnswer<T>>
  /** The token of the session the browser has now. */
  csrf(): Promise<string>
  /** The value of the session's cookie. */
  sessionKey(): string | undefined
  /** Another browser with the same cookies, as one who stole them has. */
  copy(): Browser
}

/** A browser without cookies. `url` is asked for at every call, because a restart changes it. */
export function createBrowser(url: () => string, cookies = new Map<string, string>()): Browser {
  let token: { readonly of: string | undefined; readonly text: string } | undefined
  const sessionKey = () => cookies.get(plainCookieName) ?? cookies.get(`__Host-${plainCookieName}`)

  const client = createCookieClient(url, cookies)
  const send = (method: string, path: string, { json, headers, from = nextAddress() }: CallOptions) =>
    client.fetch(method, path, { json, headers: { 'x-forwarded-for': from, ...headers } })

  async function csrf(): Promise<string> {
    if (token === undefined || token.of !== sessionKey() || token.of === undefined) {
      const { token: text } = (await (await send('GET', '/api/v1/csrf', {})).json()) as { token: string }
      token = { of: sessionKey(), text }
    }
    return token.text
  }

  const call: Browser['call'] = async (method, path, options = {}) => {
    if (method === 'GET' || options.isBare === true) return send(method, path, options)
    const headers = { 'x-csrf-token': await csrf(), ...options.headers }
    return send(method, path, { ...options, headers })
  }
  return {
    cookies,
    call,
    async json(method, path, options) {
      const response = await call(method, path, options)
      const text = await response.text()
      const body = (text === '' ? undefined : JSON.parse(text)) as never
      return { status: response.status, headers: response.headers, body }
    },
    csrf,
    sessionKey,
    copy: () => createBrowser(url, new Map(cookies)),
  }
}
