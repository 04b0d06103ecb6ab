import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutboundAllow, createOutboundPolicy, type OutboundPolicy } from '@hearth/outbound'

/** A page with a video, on loopback, for trying a program without asking anybody. */
export interface CanaryPage extends AsyncDisposable {
  readonly url: string
  /** Lets a program go there and nowhere else that is not public. */
  readonly policy: OutboundPolicy
}

const page = `<!doctype html><html><head><title>A page of our own</title></head>
<body><video><source src="/video.mp4" type="video/mp4"></video></body></html>`

export async function serveCanaryPage(): Promise<CanaryPage> {
  const server = createServer((request, response) => {
    const isPage = request.url === '/'
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'video/mp4')
    response.end(isPage ? page : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/`,
    policy: createOutboundPolicy(createOutboundAllow([host])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
