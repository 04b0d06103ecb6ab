import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { z } from 'zod'
import { createAddressSet } from './address-set.ts'
import { docsFiles } from './docs-page.ts'
import type { ErrorAnswer } from './error-answers.ts'
import { HttpError } from './http-error.ts'
import { describeApi } from './describe-api.ts'
import type { ApiDescription } from './openapi.ts'
import { FileForm, routeFor } from './route.ts'
import { createServer } from './create-server.ts'
import { printDocs } from './static-docs.ts'

const route = routeFor<{ open: undefined; closed: { name: string } }, 'some'>()
const Thing = z.object({ id: z.string(), size: z.int().min(0).max(9) }).meta({ id: 'KitThing' })

function toError(error: unknown): ErrorAnswer {
  if (!(error instanceof HttpError)) return { status: 500, body: { kind: 'internal' } }
  const statuses: Record<string, number> = {
    invalid: 422,
    'not-found': 404,
    unauthenticated: 401,
    'method-not-allowed': 405,
    malformed: 400,
    'too-large': 413,
  }
  return { status: statuses[error.reason.kind] ?? 400, body: error.reason }
}

const shared = { tag: 'Things', limit: 'some' } as const
const routes = [
  route(
    {
      ...shared,
      method: 'GET',
      path: '/api/things/{id}',
      summary: 'One',
      access: 'open',
      params: z.object({ id: z.string() }),
      success: { status: 200, body: Thing },
    },
    ({ params }) => ({ id: params.id, size: 1, secret: 'never sent' }) as z.infer<typeof Thing>,
  ),
  route(
    {
      ...shared,
      method: 'POST',
      path: '/api/things',
      summary: 'New',
      access: 'closed',
      body: z.strictObject({ size: z.int().max(9) }),
      success: { status: 201, body: Thing },
    },
    ({ caller, body }) => ({ id: caller.name, size: body.size }),
  ),
  route(
    {
      ...shared,
      method: 'GET',
      path: '/api/wrong',
      summary: 'Wrong',
      access: 'open',
      success: { status: 200, body: Thing },
    },
    () => ({ id: 'x', size: -1 }),
  ),
  route(
    {
      ...shared,
      method: 'GET',
      path: '/api/fails',
      summary: 'Fails',
      access: 'open',
      success: { status: 200, body: Thing },
    },
    () => {
      throw new Error('with a secret inside')
    },
  ),
]

const about: ApiDescription = {
  title: 'Test',
  version: '1',
  description: '',
  errorBody: z.object({ kind: z.string() }).meta({ id: 'KitError' }),
  securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
  security: (access) => (access === 'open' ? [] : [{ key: [] }]),
  tags: [],
}

async function startServer(served = routes) {
  const app = await createServer({
    routes: served,
    about,
    guard: ({ request }, spec) => {
      if (spec?.access === 'closed' && request.headers.authorization !== 'me')
        throw new HttpError({ kind: 'unauthenticated' })
      return Promise.resolve({ name: 'me' })
    },
    toError,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '/nowhere',
  })
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() })
}

test('a response contains only the members of its schema', async () => {
  await using app = await startServer()
  const reply = await app.inject('/api/things/7')
  assert.deepEqual(reply.json(), { id: '7', size: 1 })
  assert.equal(reply.headers['cache-control'], 'no-store')
})

test('the guard runs before the body is parsed', async () => {
  await using app = await startServer()
  const headers = { 'content-type': 'application/json' }
  assert.equal((await app.inject({ method: 'POST', url: '/api/things', payload: '{broken', headers })).statusCode, 401)
  const known = { ...headers, authorization: 'me' }
  assert.equal(
    (await app.inject({ method: 'POST', url: '/api/things', payload: '{"size":3}', headers: known })).json().id,
    'me',
  )
  const wrong = await app.inject({
    method: 'POST',
    url: '/api/things',
    payload: '{"size":12,"extra":1}',
    headers: known,
  })
  assert.deepEqual(wrong.json().fields, [
    { path: 'size', code: 'too_big', message: 'must be at most 9' },
    { path: 'extra', code: 'unknown', message: 'is not known here' },
  ])
})

test('every error has the service’s format and reveals nothing internal', async () => {
  await using app = await startServer()
  for (const [url, status] of [
    ['/api/none', 404],
    ['/api/wrong', 500],
    ['/api/fails', 500],
    [`/api/things/${'x'.repeat(300)}`, 404],
    ['/api/things/%', 400],
  ] as const) {
    const reply = await app.inject(url)
    assert.equal(reply.statusCode, status, url)
    assert.equal(typeof reply.json().kind, 'string')
    assert.doesNotMatch(reply.payload, /secret/)
  }
  assert.equal((await app.inject({ method: 'DELETE', url: '/api/things/1' })).statusCode, 405)
  assert.match((await app.inject('/some/page')).payload, /not built yet/)
})

test('HEAD has the head of GET and no content, errors included', async () => {
  await using app = await startServer()
  for (const url of ['/api/things/7', '/api/fails', '/api/none']) {
    const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })]
    assert.deepEqual([head.statusCode, head.payload], [get.statusCode, ''], url)
    for (const name of ['content-type', 'content-length', 'cache-control'])
      assert.equal(head.headers[name], get.headers[name], `${name} of ${url}`)
  }
})

test('a path refuses a method that only a path with more parameters takes', async () => {
  const change = route(
    {
      ...shared,
      method: 'POST',
      path: '/api/{kind}/{id}',
      summary: 'Change',
      access: 'open',
      params: z.object({ kind: z.string(), id: z.string() }),
      success: { status: 200, body: Thing },
    },
    ({ params }) => ({ id: params.id, size: 1 }),
  )
  await using app = await startServer([...routes, change])
  const statusOf = async (url: string) => (await app.inject({ method: 'POST', url })).statusCode
  assert.deepEqual([await statusOf('/api/things/7'), await statusOf('/api/others/7')], [405, 200])
})

test('the OpenAPI document has every route with its access and limit, and only the schemas in use', async () => {
  const document = (await describeApi(() => routes, about)()) as {
    paths: Record<string, Record<string, Record<string, unknown>>>
    components: { schemas: object }
  }
  assert.deepEqual(Object.keys(document.paths), ['/api/things/{id}', '/api/things', '/api/wrong', '/api/fails'])
  assert.equal(document.paths['/api/things']?.['post']?.['x-access'], 'closed')
  assert.deepEqual(Object.keys(document.components.schemas), ['KitError', 'KitThing'])
})

const copyRoutes = [
  route(
    {
      method: 'POST',
      path: '/admin/api/things:copy',
      tag: 'Things',
      summary: 'Copy',
      limit: 'some',
      access: 'open',
      body: z.strictObject({ text: z.string() }),
      success: { status: 200, body: z.object({ length: z.int() }) },
    },
    ({ body }) => ({ length: body.text.length }),
  ),
]

const copyAbout: ApiDescription = {
  title: 'Things',
  version: '1',
  description: '',
  errorBody: z.object({ code: z.string() }),
  errorMedia: 'application/problem+json',
  invalidParameter: 422,
  securitySchemes: {},
  security: () => [],
  tags: [],
}

test('a service sets its API paths, its error format and its body limit', async () => {
  const answered: string[] = []
  const app = await createServer({
    routes: copyRoutes,
    about: copyAbout,
    guard: () => Promise.resolve(undefined),
    toError: (error, request) => ({
      ...toError(error),
      media: 'application/problem+json',
      headers: { 'x-path': request.url },
    }),
    onAnswered: (spec, status) => answered.push(`${spec?.path} ${status}`),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '',
    apiPaths: ['/api', '/admin/api'],
    bodyLimit: 100,
  })
  const copied = await app.inject({
    method: 'POST',
    url: '/admin/api/things:copy',
    payload: { text: 'abc' },
    headers: { 'x-request-id': 'mine-1' },
  })
  assert.deepEqual([copied.json(), copied.headers['x-request-id']], [{ length: 3 }, 'mine-1'])
  const large = await app.inject({ method: 'POST', url: '/admin/api/things:copy', payload: { text: 'a'.repeat(200) } })
  assert.equal(large.statusCode, 413)
  assert.match(String(large.headers['content-type']), /^application\/problem\+json/)
  assert.equal(large.headers['x-path'], '/admin/api/things:copy')
  assert.notEqual(large.headers['x-request-id'], undefined)
  assert.deepEqual(answered, ['/admin/api/things:copy 200', '/admin/api/things:copy 413'])
  const odd = await app.inject({ url: '/nothing', headers: { 'x-request-id': 'no spaces allowed' } })
  assert.notEqual(odd.headers['x-request-id'], 'no spaces allowed')
  assert.equal((await app.inject('/admin/api/unknown')).statusCode, 404)
  assert.equal((await app.inject('/some/page')).statusCode, 200)
  for (const path of ['/admin/static/.env', '/admin/static/.git/config', '/%2ehidden/page', '/.well-known/x'])
    assert.equal((await app.inject(path)).statusCode, 404, path)
  const { paths, components } = (await describeApi(() => copyRoutes, copyAbout)()) as {
    paths: Record<string, { post: { responses: Record<string, object> } }>
    components: { responses: Record<string, { content: object }> }
  }
  assert.deepEqual(Object.keys(paths), ['/admin/api/things:copy'])
  const { responses = {} } = paths['/admin/api/things:copy']?.post ?? {}
  assert.deepEqual(responses['422'], { $ref: '#/components/responses/UnprocessableContent' })
  assert.deepEqual(Object.keys(components.responses['UnprocessableContent']?.content ?? {}), [
    'application/problem+json',
  ])
  await app.close()
})

test('the interactive API documentation is served without external files', () => {
  const files = docsFiles('Things', '/openapi.json')
  assert.deepEqual(
    files.map(({ path }) => path),
    ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'],
  )
  const [page = '', start = '', , bundle = ''] = files.map(({ content }) => content())
  assert.doesNotMatch(page, /<script>|<style|https?:/)
  assert.match(start, /"url":"\/openapi\.json"/)
  assert.ok(bundle.length > 100_000)
})

test('a shortcut answers before the routes with the usual headers, or passes the request to them', async () => {
  const app = await createServer({
    routes: [
      route(
        {
          method: 'GET',
          path: '/api/slow',
          tag: 'Things',
          summary: 'Slow',
          limit: 'some',
          access: 'open',
          success: { status: 200, body: z.object({ from: z.string() }) },
        },
        () => ({ from: 'route' }),
      ),
    ],
    about: {
      title: 'Things',
      version: '1',
      description: '',
      errorBody: z.object({ code: z.string() }),
      securitySchemes: {},
      security: () => [],
      tags: [],
    },
    guard: () => Promise.resolve(undefined),
    toError,
    shortcut: ({ url }) => (url === '/api/slow?quick' ? { body: '{"from":"°"}', headers: ['x-own', '1'] } : undefined),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '',
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const [quick, slow] = [await ask('/api/slow?quick'), await ask('/api/slow')]
  assert.deepEqual([await quick.json(), await slow.json()], [{ from: '°' }, { from: 'route' }])
  assert.equal(quick.headers.get('x-own'), '1')
  for (const name of [
    'content-security-policy',
    'x-content-type-options',
    'referrer-policy',
    'cache-control',
    'content-type',
  ])
    assert.equal(quick.headers.get(name), slow.headers.get(name), name)
  await app.close()
})

test('a malformed request is refused in the service’s error format', async () => {
  const app = await startServer()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  for (const text of ['NONSENSE\r\n\r\n', 'GET / HTTP/1.1\r\nhost: x\r\nx: '.concat('y'.repeat(20_000), '\r\n\r\n')]) {
    const socket = connect(port, '127.0.0.1')
    socket.end(text)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(answer, /x-content-type-options: nosniff/)
    assert.match(answer, /\r\n\r\n\{"kind":"malformed"\}$/)
  }
  await app.close()
})

test('the printed API documentation lists every operation and schema, with HTML escaped', () => {
  const { html, css } = printDocs(
    {
      info: { title: 'Things <b>', version: '1' },
      tags: [{ name: 'Things', description: 'All of them' }],
      paths: {
        '/api/things/{id}': {
          get: {
            tags: ['Things'],
            summary: 'One & only',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            responses: {
              200: { description: 'Good', content: { 'application/json': { schema: { $ref: '#/x/Thing' } } } },
            },
          },
        },
      },
      components: { schemas: { Thing: { type: 'object', properties: { size: { type: 'integer' } }, required: [] } } },
    },
    '/style.css',
  )
  for (const part of ['Things &lt;b&gt;', 'GET /api/things/{id}', 'One &amp; only', 'href="#schema-thing"', 'size'])
    assert.ok(html.includes(part), part)
  assert.doesNotMatch(html, /<script|<b>/)
  assert.match(css, /body/)
})

test('forms and uploads are accepted only by routes that declare them, within their limits', async () => {
  const form = z.object({ name: z.string(), count: z.coerce.number() })
  const shared = { tag: 'Things', summary: 'One', limit: 'some', access: 'open', method: 'POST' } as const
  const answer = { status: 200, body: z.object({ text: z.string() }) } as const
  const seen: unknown[] = []
  const app = await createServer({
    routes: [
      route({ ...shared, path: '/api/form', takes: 'form', body: form, success: answer }, ({ body }) => ({
        text: `${body.name} ${body.count}`,
      })),
      route(
        {
          ...shared,
          path: '/api/file',
          takes: { upload: { maxBytes: 3_000_000 } },
          body: FileForm,
          success: answer,
        },
        ({ body }) => ({ text: `${body.file.name} ${body.file.bytes.length}` }),
      ),
      route({ ...shared, path: '/api/json', body: form, success: answer }, () => ({ text: '' })),
      route({ ...shared, path: '/api/maybe', body: form.optional(), success: answer }, ({ body }) => ({
        text: body?.name ?? 'nobody',
      })),
    ],
    about: {
      title: 'Test',
      version: '1',
      description: '',
      errorBody: z.unknown(),
      securitySchemes: {},
      security: () => [],
      tags: [],
    },
    guard: () => Promise.resolve(undefined),
    checkBody: (_guarded, spec, body) => void seen.push([spec.path, Object.keys(body ?? {})]),
    toError,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '',
  })
  const send = async (url: string, type: string, payload: string | Buffer) => {
    const response = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    return [response.statusCode, (JSON.parse(response.body) as { text?: string }).text]
  }
  const bare = async (url: string) => {
    const response = await app.inject({ method: 'POST', url })
    return [response.statusCode, (JSON.parse(response.body) as { text?: string }).text]
  }
  const upload = (field: string, size: number) =>
    Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="csrf_token"\r\n\r\nt\r\n--b\r\ncontent-disposition: form-data; name="${field}"; filename="a.png"\r\n\r\n${'x'.repeat(size)}\r\n--b--\r\n`,
    )
  const multipart = 'multipart/form-data; boundary=b'
  assert.deepEqual(await send('/api/form', 'application/x-www-form-urlencoded', 'name=a+b&count=2'), [200, 'a b 2'])
  assert.deepEqual(await send('/api/form', 'application/json', '{"name":"a","count":1}'), [200, 'a 1'])
  assert.deepEqual(await send('/api/file', multipart, upload('file', 2_000_000)), [200, 'a.png 2000000'])
  assert.deepEqual(await send('/api/file', multipart, upload('file', 3_000_001)), [413, undefined])
  assert.deepEqual(await send('/api/file', multipart, upload('other', 5)), [422, undefined])
  assert.equal((await send('/api/json', 'application/x-www-form-urlencoded', 'name=a'))[0], 400)
  assert.equal((await send('/api/file', 'application/x-www-form-urlencoded', 'name=a'))[0], 400)
  // A body that may be left out is not there, and one that may not is missed.
  assert.deepEqual(await bare('/api/maybe'), [200, 'nobody'])
  assert.deepEqual((await bare('/api/json'))[0], 422)
  assert.deepEqual(seen.slice(0, 3), [
    ['/api/form', ['name', 'count']],
    ['/api/form', ['name', 'count']],
    ['/api/file', ['csrf_token', 'file']],
  ])
  await app.close()
})
