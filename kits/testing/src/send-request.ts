import type { IncomingHttpHeaders } from 'node:http'

/** An answer, with the parsed body when that is JSON. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  readonly body: any
  readonly text: string
  readonly raw: Buffer
}

/** Options of a request beside its method and path. */
export interface Sending {
  readonly body?: unknown
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  /** Address the connection comes from. */
  readonly from?: string
}

/** The part of a server that answers without a connection. */
interface Injectable {
  inject(request: {
    method: string
    url: string
    remoteAddress: string
    headers: Record<string, string>
    payload?: string
  }): Promise<{ statusCode: number; headers: object; payload: string; rawPayload: Buffer }>
}

/** Sends one request to a server in this process. A body that is no text goes as JSON; a token as a bearer token. */
export async function sendRequest(
  http: Injectable,
  { method, path }: { method: string; path: string },
  { body, token, headers = {}, from = '127.0.0.1' }: Sending = {},
): Promise<Reply> {
  const answer = await http.inject({
    method,
    url: path,
    remoteAddress: from,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const { 'content-type': media = '', 'content-encoding': coding } = answer.headers as IncomingHttpHeaders
  const isJson = /^application\/(problem\+)?json(;|$)/.test(media) && coding === undefined
  return {
    status: answer.statusCode,
    headers: answer.headers as Reply['headers'],
    body: isJson && answer.payload !== '' ? JSON.parse(answer.payload) : undefined,
    text: answer.payload,
    raw: answer.rawPayload,
  }
}
