import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { brokenUploads, rawUpload, sendRaw } from '@hearth/testing'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createAddressSet } from './address-set.ts'
import { HttpError } from './http-error.ts'
import { FileForm, routeFor } from './route.ts'
import { createServer } from './create-server.ts'

const route = routeFor<{ open: undefined }, 'some'>()
const shared = { tag: 'Things', summary: 'One', limit: 'some', access: 'open', method: 'POST' } as const
const success = { status: 200, body: z.object({ text: z.string() }) } as const

const statuses: Record<string, number> = { malformed: 400, 'not-found': 404, 'method-not-allowed': 405 }

let app: FastifyInstance
let url: string
const logged: unknown[] = []
beforeEach(() => {
  logged.length = 0
})

before(async () => {
  const log = createLog({ name: 'test', level: 'silent' })
  log.error = (...entry: unknown[]) => void logged.push(entry)
  app = await createServer({
    routes: [
      route({ ...shared, path: '/file', takes: { upload: { maxBytes: 1e6 } }, body: FileForm, success }, (call) => ({
        text: `${call.body.file.bytes.length}`,
      })),
      route({ ...shared, path: '/form', takes: 'form', body: z.object({ a: z.string() }), success }, ({ body }) => ({
        text: body.a,
      })),
      route(
        { ...shared, method: 'GET', path: '/secret/{token}', params: z.object({ token: z.string() }), success },
        () => {
          throw new Error('broken')
        },
      ),
      route({ ...shared, method: 'GET', path: '/thing/{id}', params: z.object({ id: z.string() }), success }, () => {
        throw new Error('broken')
      }),
      route({ ...shared, path: '/json', body: z.object({ a: z.string() }), success }, ({ body }) => ({ text: body.a })),
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
    toError: (error) => {
      if (!(error instanceof HttpError)) return { status: 500, body: { kind: 'internal' } }
      return { status: statuses[error.reason.kind] ?? 422, body: error.reason }
    },
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log,
    pages: '',
    shortcut: ({ url: path }) => (path === '/quick' ? { body: '{}', headers: [] } : undefined),
  })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => app.close())

describe('an unreadable upload is a client error', () => {
  for (const upload of brokenUploads)
    test(upload.what, async () => {
      const reply = await sendRaw(url, rawUpload('/file', upload), { isCut: upload.isCut ?? false })
      // The client may be gone already.
      if (upload.isCut !== true) assert.equal(reply.status, 400, reply.body)
      assert.notEqual(reply.status, 500)
      assert.deepEqual(logged, [])
    })

  test('the next upload is read', async () => {
    const whole = {
      what: '',
      type: 'multipart/form-data; boundary=b',
      body: '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--b--\r\n',
    }
    const reply = await sendRaw(url, rawUpload('/file', whole))
    assert.deepEqual([reply.status, reply.body], [200, '{"text":"3"}'])
  })
})

test('a body whose connection closes early is not a server error', async () => {
  for (const [path, type, body] of [
    ['/json', 'application/json', '{"a":'],
    ['/form', 'application/x-www-form-urlencoded', 'a=1'],
  ] as const) {
    const reply = await sendRaw(url, rawUpload(path, { what: '', type, body, isCut: true }), { isCut: true })
    assert.notEqual(reply.status, 500)
    assert.deepEqual(logged, [], path)
  }
})

describe('the Host header', () => {
  const request = (path: string, lines: string) => `GET ${path} HTTP/1.1\r\n${lines}connection: close\r\n\r\n`
  // A page, a route that takes another method, an unknown address of the API, and what never reaches the routes.
  const paths = ['/', '/json', '/api/none', '/quick']

  for (const [what, lines] of [
    ['two of them', 'Host: localhost\r\nHost: localhost\r\n'],
    ['two of them in different case', 'Host: one.example\r\nhOST: two.example\r\n'],
    ['two of them, one empty', 'Host:\r\nHost: two.example\r\n'],
    ['none', ''],
    ['a space', 'Host: one two\r\n'],
    ['a path', 'Host: one/two\r\n'],
    ['a user', 'Host: ada@one.example\r\n'],
    ['a port that is no number', 'Host: one.example:http\r\n'],
    ['two ports', 'Host: one.example:80:81\r\n'],
    ['an address without its bracket', 'Host: [::1\r\n'],
    ['no address in brackets', 'Host: [::g]\r\n'],
    ['a wrong escape', 'Host: one%2\r\n'],
    ['a letter beyond ASCII', 'Host: \xfcber.example\r\n'],
  ] as const)
    test(`${what}: refused`, async () => {
      for (const path of paths) {
        const reply = await sendRaw(url, request(path, lines))
        assert.equal(reply.status, 400, path)
        // Node itself answers a request without the header, before the server receives it.
        if (lines !== '') assert.match(reply.body, /"kind":"malformed","detail":"The (?:request|Host header)/)
      }
      assert.deepEqual(logged, [])
    })

  for (const host of [
    'localhost',
    'one.example:8101',
    '127.0.0.1:80',
    '[::1]:8101',
    '[2001:db8::1]',
    '[::ffff:10.0.0.1]',
    'my_nas.lan',
    'xn--ber-goa.example',
    'one.example:',
    '',
  ])
    test(`“${host}”: accepted`, async () => {
      const statuses = await Promise.all(
        paths.map(async (path) => (await sendRaw(url, request(path, `Host: ${host}\r\n`))).status),
      )
      assert.deepEqual(statuses, [200, 405, 404, 200])
    })

  test('an HTTP/1.0 request needs no Host header', async () => {
    assert.equal((await sendRaw(url, 'GET /quick HTTP/1.0\r\n\r\n')).status, 200)
  })
})

test('an unforeseen error is logged with its address, but not with the query or with a token in the path', async () => {
  for (const path of ['/secret/hunter2?more=hunter2', '/thing/7?more=hunter2'])
    assert.equal((await fetch(url + path)).status, 500)
  assert.deepEqual(
    logged.map((entry) => (entry as [{ url: string }])[0].url),
    ['/secret/:token', '/thing/7'],
  )
})
