import { plainCookieName } from '../src/accounts/session-cookie.ts'

/** What a call sends. */
export interface CallOptions {
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Where the request comes from; an address of its own when left out. */
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

let lastCaller = 0

/**
 * An address nobody else calls from: one address has only so many requests a minute, and the limits have tests of their own.
 */
export function nextAddress(): string {
  lastCaller += 1
  return `10.${(lastCaller >> 16) & 255}.${(lastCaller >> 8) & 255}.${lastCaller & 255}`
}

/** A browser without cookies. `url` is asked for at every call, because a restart changes it. */
export function createBrowser(url: () => string, cookies = new Map<string, string>()): Browser {
  let token: { readonly of: string | undefined; readonly text: string } | undefined
  const sessionKey = () => cookies.get(plainCookieName) ?? cookies.get(`__Host-${plainCookieName}`)

  async function send(method: string, path: string, { json, headers = {}, from }: CallOptions): Promise<Response> {
    const response = await fetch(`${url()}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': from ?? nextAddress(),
        ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

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
