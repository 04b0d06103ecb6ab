import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '@hearth/http'
import { askingRuns, createConformance, openApiFaults, operationsOf, requestsFor } from '@hearth/testing'
import * as fc from 'fast-check'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService, type TestService } from './in-process.ts'

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

test('the API document is valid OpenAPI 3.1', async () => {
  await using service = await startService()
  assert.deepEqual(await openApiFaults(openApiOf(service.service.app.http)), [])
})

test('whatever is asked, every answer is one the document describes, and none is a 5xx', async () => {
  await using upstream = await startFakeNameserver()
  await using service = await startService({ DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}` })
  const document = openApiOf(service.service.app.http)
  const conformance = createConformance(document)
  const ids = await furnish(service)
  const browser = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const left = new Set(['DELETE /api/session', 'POST /api/session', 'POST /api/session/password', 'GET /api/events'])
  // Waits a while for the lists, so it is asked once.
  left.add('POST /api/dns/blocklists/update')
  const sender = (path: string) =>
    path.startsWith('/api/session')
      ? browser
      : {
          send: (method: string, url: string, sending: object) =>
            service.send(method, url, { token: service.admin, ...sending }),
        }
  const ask = async (method: string, url: string, body?: unknown) => {
    const reply = await sender(url).send(method, url, body === undefined ? {} : { body })
    assert.ok(reply.status < 500, `${method} ${url} ${JSON.stringify(body)}: ${reply.text}`)
    conformance.check(method, url.replace(/\?.*/s, ''), {
      status: reply.status,
      contentType: reply.headers['content-type'] ?? '',
      body: reply.body,
    })
  }
  await ask('GET', '/api/peers')
  await ask('GET', '/api/peers?limit=0')
  await ask('GET', '/api/peers/not-there')
  await ask('POST', '/api/peers', { name: '' })
  await ask('POST', '/api/dns/blocklists/update')
  for (const operation of operationsOf(document).filter(({ method, path }) => !left.has(`${method} ${path}`))) {
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, ids), async ({ url, body }) => {
        await ask(operation.method, url, body)
      }),
      askingRuns(40),
    )
  }
  for (const expected of [
    'GET /api/peers 200',
    'POST /api/peers 422',
    'GET /api/peers/{id} 404',
    'GET /api/peers 400',
  ]) {
    assert.ok(conformance.seen.has(expected), `${expected} was never seen`)
  }
})
