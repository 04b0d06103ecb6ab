/** Content of a request: at most one of `json`, `form` and `upload`. */
export interface RequestContent {
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly upload?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
}

/** A client that keeps cookies as a browser does and follows no redirect. */
export interface CookieClient {
  readonly cookies: Map<string, string>
  fetch(method: string, path: string, content?: RequestContent): Promise<Response>
}

/** Creates a client of a service. `url` is called for every request, because a restart changes it. */
export function createCookieClient(url: () => string, cookies = new Map<string, string>()): CookieClient {
  return {
    cookies,
    async fetch(method, path, content = {}) {
      const body = bodyOf(content)
      const response = await fetch(`${url()}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...(content.json !== undefined && { 'content-type': 'application/json' }),
          ...content.headers,
        },
        ...(body !== undefined && { body }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '' || /max-age=0|1970/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    },
  }
}

function bodyOf({ json, form, upload }: RequestContent) {
  if (form !== undefined) return new URLSearchParams(form)
  if (json !== undefined) return JSON.stringify(json)
  if (upload === undefined) return undefined
  const data = new FormData()
  data.set('file', new Blob([upload as never]), 'upload')
  return data
}

let lastCaller = 0

/** An address that no other request of this process comes from: budgets count by address and have their own tests. */
export function nextAddress(): string {
  lastCaller += 1
  return `10.${(lastCaller >> 16) & 255}.${(lastCaller >> 8) & 255}.${lastCaller & 255}`
}
