import { testConformance } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService, testPassword, type TestService } from './in-process.ts'

async function furnish(service: TestService): Promise<string[]> {
  await service.call('POST', '/api/interfaces', {
    name: 'wg0',
    address: '10.8.0.1/24',
    address6: 'fd08::1/64',
    listen_port: 51_820,
  })
  const peer = await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const user = await service.addUser('someone', 'user')
  return ['wg0', peer.body.data.id, user.id]
}

testConformance(
  {
    excluded: [
      'DELETE /api/session',
      'POST /api/session',
      'POST /api/session/password',
      'GET /api/events',
      // Waits a while for the lists, so it is sent once.
      'POST /api/dns/blocklists/update',
      // A destination that is made up must not get what happens here.
      'POST /api/notifications/destinations',
    ],
    requests: [
      ['GET', '/api/peers'],
      ['GET', '/api/peers?limit=0'],
      ['GET', '/api/peers/not-there'],
      ['POST', '/api/peers', { name: '' }],
      ['POST', '/api/dns/blocklists/update'],
    ],
    runs: 40,
    refusesGatewayErrors: true,
    expected: ['GET /api/peers 200', 'POST /api/peers 422', 'GET /api/peers/{id} 404', 'GET /api/peers 400'],
  },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const upstream = cleanup.use(await startFakeNameserver())
    const service = cleanup.use(await startService({ DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}` }))
    const ids = await furnish(service)
    const browser = await service.signIn('admin', testPassword)
    const resources = cleanup.move()
    return {
      document: await openapiDocument(),
      ids,
      async send(method, url, body) {
        const sending = body === undefined ? {} : { body }
        const reply = await (url.startsWith('/api/session')
          ? browser.send(method, url, sending)
          : service.send(method, url, { token: service.admin, ...sending }))
        return { ...reply, contentType: reply.headers['content-type'] ?? '' }
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  },
)
