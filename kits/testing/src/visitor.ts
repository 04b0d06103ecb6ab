import { createCookieClient, type RequestContent } from './cookie-client.ts'

/** An answer to a visitor. */
export interface VisitorReply {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
  readonly text: string
  /** The parsed body of a JSON answer. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  readonly body: any
}

/** A browser without pages: keeps cookies, and finds the CSRF token of any of the services before it writes. */
export interface Visitor {
  readonly url: string
  readonly cookies: Map<string, string>
  send(method: string, path: string, sending?: RequestContent): Promise<VisitorReply>
  /** As `send`; throws when the answer is no success, otherwise returns the parsed body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  demand(method: string, path: string, sending?: RequestContent): Promise<any>
}

/** A visitor of the service at an address, with no cookies. */
export function createVisitor(url: string): Visitor {
  const client = createCookieClient(() => url)
  const { cookies } = client
  let csrf: string | undefined

  async function once(method: string, path: string, content: RequestContent): Promise<VisitorReply> {
    const token = method !== 'GET' && csrf !== undefined ? { 'x-csrf-token': csrf } : {}
    const response = await client.fetch(method, path, { ...content, headers: { ...token, ...content.headers } })
    const bytes = Buffer.from(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const text = bytes.toString()
    const parsed: unknown = /^application\/(problem\+)?json/.test(type) && text !== '' ? JSON.parse(text) : undefined
    return { status: response.status, type, bytes, text, body: parsed }
  }

  /** The CSRF token as the services hand it out: in an answer to a sign-in, at an address of its own, or in a cookie. */
  async function findToken(): Promise<void> {
    const answer = await once('GET', '/api/v1/csrf', {})
    const cookie = () => [...cookies].find(([name]) => name.endsWith('_csrf'))?.[1]
    if (answer.status === 200) csrf = String(answer.body.token)
    else if (cookie() === undefined) await once('GET', '/api/session', {})
    csrf = cookie() ?? csrf
  }

  const send: Visitor['send'] = async (method, path, sending = {}) => {
    if (method !== 'GET' && sending.headers?.['authorization'] === undefined) await findToken()
    const reply = await once(method, path, sending)
    csrf = reply.body?.csrf_token ?? reply.body?.data?.csrf_token ?? csrf
    return reply
  }
  return {
    url,
    cookies,
    send,
    async demand(method, path, sending) {
      const reply = await send(method, path, sending)
      if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
      return reply.body
    },
  }
}
