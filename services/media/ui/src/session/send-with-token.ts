export interface TokenSource {
  /** All cookies that scripts may read, as one text. */
  cookies(): string
  /** Makes the server set a new token cookie. */
  renew(): Promise<unknown>
}

/** The browser's own cookies; a new token comes with the session. */
export const browserTokens: TokenSource = {
  cookies: () => document.cookie,
  renew: () => fetch('/api/session'),
}

/**
 * A fetch whose writes carry the CSRF token. The token lives for an hour and belongs to one session: when it is gone, or
 * refused, it is renewed and the request is sent once more.
 */
export function createTokenSend(
  source: TokenSource = browserTokens,
  send: (request: Request) => Promise<Response> = (request) => fetch(request),
): (request: Request) => Promise<Response> {
  const renewed = async () => {
    await source.renew()
    return csrfTokenIn(source.cookies()) ?? ''
  }
  return async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return send(request)
    const second = request.clone()
    request.headers.set('x-csrf-token', csrfTokenIn(source.cookies()) ?? (await renewed()))
    const response = await send(request)
    if (response.status !== 403 || !(await isAboutToken(response.clone()))) return response
    second.headers.set('x-csrf-token', await renewed())
    return send(second)
  }
}

async function isAboutToken(response: Response): Promise<boolean> {
  return (await response.text()).includes('CSRF')
}

/** The cookie whose value every write carries in a header; the server renews it with every page and session answer. */
const name = 'hearth_media_csrf'

/** The token in a cookie text such as `document.cookie`; undefined when it has run out. */
export function csrfTokenIn(cookies: string): string | undefined {
  const found = cookies.split(/;\s*/).find((part) => part.startsWith(`${name}=`))
  const value = found?.slice(name.length + 1)
  return value === undefined || value === '' ? undefined : value
}
