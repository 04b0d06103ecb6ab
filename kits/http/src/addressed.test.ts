import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { z } from 'zod'
import { createAddressSet } from './address-set.ts'
import { describeApi } from './describe-api.ts'
import type { ApiDescription } from './openapi.ts'
import { routeFor } from './route.ts'
import { createServer } from './create-server.ts'

const route = routeFor<{ open: undefined }, 'some'>()

const routes = [
  route(
    {
      method: 'GET',
      path: '/api/told/{name}',
      tag: 'Told',
      summary: 'How it was asked',
      access: 'open',
      limit: 'some',
      params: z.object({ name: z.string() }),
      success: { status: 200, body: z.object({ name: z.string(), host: z.string(), origin: z.string() }) },
      errors: [404, 410],
      errorPages: [410],
    },
    ({ params, client, isHead, answer }) => {
      answer.header('x-head', String(isHead))
      return { name: params.name, host: client.host, origin: client.origin }
    },
  ),
]

const about: ApiDescription = {
  title: 'Told',
  version: '1',
  description: '',
  errorBody: z.object({}),
  securitySchemes: {},
  security: () => [],
  tags: [],
}

/** A server that answers with the address of the request. */
async function startServer() {
  const app = await createServer({
    routes,
    about,
    guard: () => Promise.resolve(undefined),
    toError: () => ({ status: 404, body: {} }),
    trust: { proxies: createAddressSet(['127.0.0.1']), header: 'x-forwarded-for' },
    rewriteUrl: (url) => url.replace(/^\/api\/told\/(?!\w{1,9}$).*/s, '/api/told/odd'),
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '',
  })
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() })
}

test('a handler gets the requested scheme, host and port as a trusted proxy reports them', async () => {
  await using app = await startServer()
  const ask = async (headers: Record<string, string>) => (await app.inject({ url: '/api/told/a', headers })).json()
  assert.deepEqual(await ask({ host: 'media.home:8103' }), {
    name: 'a',
    host: 'media.home',
    origin: 'http://media.home:8103',
  })
  assert.equal((await ask({ host: '[::1]:8103' })).origin, 'http://[::1]:8103')
  assert.equal((await ask({ host: 'inside:8103', 'x-forwarded-host': 'not a host' })).origin, '')
  // Refused before any handler, with an error body.
  assert.deepEqual(await ask({ host: 'not a host' }), {})
  const forwarded = { host: 'inside:8103', 'x-forwarded-host': 'media.example.org', 'x-forwarded-proto': 'https' }
  assert.equal((await ask(forwarded)).origin, 'https://media.example.org')
})

test('a handler can distinguish a HEAD request', async () => {
  await using app = await startServer()
  assert.equal((await app.inject('/api/told/a')).headers['x-head'], 'false')
  const head = await app.inject({ method: 'HEAD', url: '/api/told/a' })
  assert.deepEqual([head.headers['x-head'], head.payload], ['true', ''])
})

test('a path that the router cannot match can be mapped to another one', async () => {
  await using app = await startServer()
  for (const name of ['%zz', 'x'.repeat(2000), 'a/b', '%00'])
    assert.equal((await app.inject(`/api/told/${name}`)).json().name, 'odd', name)
  assert.equal((await app.inject('/api/told/plain')).json().name, 'plain')
})

test('an error sent as HTML is documented as HTML', async () => {
  const document = (await describeApi(() => routes, about)()) as {
    paths: Record<string, { get: { responses: Record<string, { content: object }> } }>
    components: { responses: Record<string, { content: object }> }
  }
  const { responses } = document.paths['/api/told/{name}']!.get
  assert.deepEqual(responses['404'], { $ref: '#/components/responses/NotFound' })
  assert.deepEqual(Object.keys(document.components.responses['NotFound']!.content), ['application/json'])
  assert.deepEqual(Object.keys(responses['410']!.content), ['text/html'])
})
