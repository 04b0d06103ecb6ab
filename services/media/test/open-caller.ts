import { csrfCookie } from '../src/accounts/csrf.ts'

/** A request to a service process: the status and the parsed body of the answer. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
export type Send = <T>(
  method: string,
  path: string,
  content?: Record<string, string> | { readonly json: object },
) => Promise<{ status: number; body: T }>

/** Opens a client of a service process. It carries a CSRF token, and each request comes from another address. */
export async function openCaller(url: string): Promise<Send> {
  let calls = Math.floor(Math.random() * 1e6)
  const address = () => `10.${(++calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`
  const session = await fetch(`${url}/api/session`, { headers: { 'x-forwarded-for': address() } })
  const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
  return async (method, path, content) => {
    const headers = { 'x-forwarded-for': address(), 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` }
    const { type, ...body } = bodyOf(content)
    const response = await fetch(`${url}${path}`, { method, headers: { ...headers, ...type }, ...body })
    const text = await response.text()
    return {
      status: response.status,
      body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as never,
    }
  }
}

/** A form, or JSON, as it is sent, with its type where `fetch` does not know it. */
function bodyOf(content: Parameters<Send>[2]) {
  if (content === undefined) return {}
  if (!('json' in content) || typeof content.json === 'string')
    return { body: new URLSearchParams(content as Record<string, string>) }
  return { body: JSON.stringify(content.json), type: { 'content-type': 'application/json' } }
}
