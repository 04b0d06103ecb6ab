import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@hearth/testing'
import { pageRequest, sendPage } from '../src/tunnel-page/page-request.ts'
import { ask } from './dns-client.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService, type TestService } from './in-process.ts'

/** Addresses of the peers Phone and Laptop. */
export const [phoneAddress, laptopAddress] = ['10.8.0.2', '10.8.0.3']

const pageHost = '10.8.0.1'

/** An answer of the page. */
export interface Visited {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

/** Parts of a request that differ from those of a person's browser. */
export interface Visit {
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly form?: Record<string, string>
  readonly body?: string
}

/**
 * The page of a service without tunnels: what a tunnel would bring comes over loopback, with the source address that a test says.
 * Questions on loopback are those of the peer Phone.
 */
export async function startTunnelPage() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startFakeNameserver())
  const dnsPort = await freePort()
  const service: TestService = cleanup.use(
    await startService({
      DNS_LISTEN: `127.0.0.1:${dnsPort}`,
      DNS_LISTEN_CLIENT: 'Phone',
      DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    }),
  )
  const call = async (method: string, path: string, body?: object) => {
    const reply = await service.call(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    return reply.body
  }
  await call('POST', '/api/interfaces', { name: 'wg0', address: `${pageHost}/24`, listen_port: 51_820 })
  const peer = async (name: string, ip: string): Promise<string> =>
    (await call('POST', '/api/peers', { name, interface: 'wg0', ip })).data.id
  const [phone, laptop] = [await peer('Phone', phoneAddress), await peer('Laptop', laptopAddress)]
  const answer = await service.service.app.openTunnelPage()
  let viewer = phoneAddress
  const server = createServer((incoming, outgoing) => {
    const { 'x-test-from': from = viewer, 'x-test-browser': browser = 'yes' } = incoming.headers
    // A browser of a test knows the address of this server, not that of the page.
    if (browser === 'yes') {
      if (incoming.headers.origin === `http://${incoming.headers.host ?? ''}`)
        incoming.headers.origin = `http://${pageHost}`
      incoming.rawHeaders.splice(0, Infinity, 'Host', pageHost)
    }
    const place = { interface: 'wg0', address: pageHost, port: 80 }
    void answer(pageRequest(incoming), { place, from: String(from) }).then((page) => sendPage(incoming, outgoing, page))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const kept = cleanup.move()
  return {
    service,
    call,
    phone,
    laptop,
    url: `http://127.0.0.1:${port}/`,
    /** A browser comes from this address from now on. */
    comeFrom: (address: string) => void (viewer = address),
    /** What Phone is answered. */
    async looksUp(name: string): Promise<'blocked' | 'open'> {
      const found = await ask(dnsPort, { name, payload: 1232, timeoutMs: 5000 })
      assert.ok(found, `no answer for ${name}`)
      return found.addresses[0] === '0.0.0.0' ? 'blocked' : 'open'
    },
    /** A request from an address, as the browser of a person there sends it. */
    visit(from: string, { path = '/', method, headers = {}, form, body }: Visit = {}): Promise<Visited> {
      const content = form === undefined ? body : new URLSearchParams(form).toString()
      const isForm = content !== undefined
      const { promise, resolve, reject } = Promise.withResolvers<Visited>()
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          path,
          method: method ?? (isForm ? 'POST' : 'GET'),
          headers: {
            host: pageHost,
            ...(isForm ? { origin: `http://${pageHost}`, 'content-type': 'application/x-www-form-urlencoded' } : {}),
            ...headers,
            'x-test-from': from,
            'x-test-browser': 'no',
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (piece: string) => (text += piece))
          response.on('end', () => {
            // Space between elements is of no meaning there.
            const plain = text.replaceAll(/>\s+</g, '><')
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: plain })
          })
        },
      )
      sent.on('error', reject)
      sent.end(content)
      return promise
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
