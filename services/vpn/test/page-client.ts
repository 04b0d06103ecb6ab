import { request } from 'node:http'

/** A request that a host of a test makes; given as JSON in the first argument. */
export interface PageRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Source address of the connection. */
  readonly from?: string
}

/** The answer, as JSON; `failure` when there was none within three seconds. */
export type PageReply =
  | { readonly status: number; readonly headers: Record<string, string>; readonly text: string }
  | { readonly failure: string }

if (import.meta.main) {
  const { url, method = 'GET', headers = {}, body, from } = JSON.parse(process.argv[2] ?? '') as PageRequest
  const say = (reply: unknown) => process.stdout.write(JSON.stringify(reply))
  const sent = request(url, { method, headers, ...(from === undefined ? {} : { localAddress: from }) }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (piece: string) => (text += piece))
    response.on('end', () => {
      say({ status: response.statusCode, headers: response.headers, text })
      process.exit(0)
    })
  })
  const fail = (failure: string) => {
    say({ failure })
    process.exit(0)
  }
  sent.on('error', ({ message }) => fail(message))
  setTimeout(() => fail('no answer'), 3000)
  sent.end(body)
}
