import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A notification as a webhook gets it. */
export interface ReceivedWebhook {
  /** The header `webhook-id`. */
  readonly id: string
  readonly type: string
  readonly state: string
  readonly severity: string
  readonly title: string
  readonly text: string
  readonly link: string | null
  /** Titles of a digest; one title when it is none. */
  readonly titles: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A server on loopback that gets webhooks, keeps them, and answers as told. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: ReceivedWebhook[]
  /** Titles of all that were received, in their order. */
  readonly titles: () => string[]
  /** Answers 200 until it is replaced. */
  answer: RequestListener
}

/** Starts a receiver of notifications. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const { type, data } = JSON.parse(body)
      const titles = (data.messages ?? [data]).map(({ title }: ReceivedWebhook) => title)
      const { headers } = request
      received.push({ ...data, id: String(headers['webhook-id']), type, titles, headers, body })
      receiver.answer(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    titles: () => received.map(({ title }) => title),
    answer: (_, response) => void response.end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
