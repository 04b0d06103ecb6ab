import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createConnection, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as fc from 'fast-check'
import { arbitraryOf, createConformance, validArbitraryOf } from './conformance.ts'
import {
  assertAccessible,
  assertUsableOn,
  browserObstacle,
  eventually,
  everyScreen,
  postgresObstacle,
  readEvents,
  readEventStream,
  runCommand,
  startBrowser,
  startServiceProcess,
  temporaryDirectory,
} from './index.ts'

const document = {
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    responses: {
      NotFound: { content: { 'application/json': { schema: { type: 'object', required: ['error'] } } } },
    },
    schemas: {
      Thing: {
        type: 'object',
        properties: { size: { type: 'integer', minimum: 0 } },
        required: ['size'],
        additionalProperties: false,
      },
    },
  },
}

test('a conforming answer passes; another status, media type or body does not', () => {
  const conformance = createConformance(document)
  const check =
    (status: number, body: unknown, contentType = 'application/json; charset=utf-8') =>
    () =>
      conformance.check('GET', '/things/7?x=1', { status, body, contentType })
  check(200, { size: 1 })()
  check(404, { error: 'x' })()
  assert.throws(check(200, { size: -1 }), /not as described/)
  assert.throws(check(404, { reason: 'x' }), /not as described/)
  assert.throws(check(200, { size: 1, secret: 2 }), /not as described/)
  assert.throws(check(500, {}), /is not described/)
  assert.throws(check(200, '', 'text/plain'), /came as text\/plain/)
  assert.throws(() => conformance.check('GET', '/other', { status: 200, body: {}, contentType: '' }), /not described/)
  assert.deepEqual([...conformance.seen], ['GET /things/{id} 200', 'GET /things/{id} 404'])
})

test('empty responses, status ranges and other media types are checked against the document', () => {
  const conformance = createConformance({
    paths: {
      '/a': {
        delete: { responses: { 204: { description: 'gone' }, '4XX': { content: { 'application/problem+json': {} } } } },
        get: { responses: { default: { content: { 'text/event-stream': { schema: { type: 'string' } } } } } },
      },
    },
  })
  conformance.check('DELETE', '/a', { status: 204, body: undefined, contentType: '' })
  conformance.check('DELETE', '/a', { status: 409, body: {}, contentType: 'application/problem+json' })
  conformance.check('GET', '/a', { status: 200, body: undefined, contentType: 'text/event-stream' })
  const bad = (method: string, status: number, contentType: string) => () =>
    conformance.check(method, '/a', { status, body: {}, contentType })
  assert.throws(bad('DELETE', 204, 'application/json'), /came as application\/json/)
  assert.throws(bad('DELETE', 409, ''), /came as nothing/)
  assert.throws(bad('DELETE', 500, ''), /is not described/)
})

test('generated valid values match their schema', () => {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Thing' },
      { properties: { name: { type: 'string', pattern: '^[a-z]{2,5}$' } } },
    ],
    properties: {
      when: { type: 'string', format: 'date-time' },
      mail: { type: ['string', 'null'], format: 'email' },
      id: { type: 'string', format: 'uuid' },
      address: {
        anyOf: [
          { type: 'string', format: 'ipv4' },
          { type: 'string', format: 'ipv6' },
        ],
      },
      few: { type: 'array', items: { enum: ['x', 'y'] }, minItems: 2, maxItems: 2 },
      pair: { type: 'array', prefixItems: [{ const: 1 }, { type: 'boolean' }], minItems: 2 },
      step: { type: 'integer', minimum: 10, exclusiveMaximum: 100, multipleOf: 5 },
      ratio: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      long: { type: 'string', minLength: 60, maxLength: 64 },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      tree: { $ref: '#/components/schemas/Tree' },
    },
    required: ['name', 'when', 'few', 'pair', 'step', 'ratio', 'long', 'map', 'tree'],
  }
  const Thing = { type: 'object', properties: { size: { type: 'integer', minimum: 0 } }, required: ['size'] }
  const Tree = { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } }
  const whole = { components: { schemas: { Thing, Tree } } }
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const validate = ajv.compile({ ...schema, ...whole })
  fc.assert(
    fc.property(validArbitraryOf(schema, whole), (value) => {
      assert.ok(validate(value), `${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
    }),
    { numRuns: 300 },
  )
})

test('generated arbitrary values mostly match the schema', () => {
  const values = fc.sample(arbitraryOf({ $ref: '#/components/schemas/Thing' }, document), { numRuns: 300, seed: 1 })
  const good = values.filter((value) => Number.isInteger((value as { size?: unknown } | null)?.size))
  assert.ok(good.length > 200 && good.length < 300, `${good.length} of 300`)
})

test('eventually waits for a state and fails with the last value', async () => {
  let asked = 0
  assert.equal(
    await eventually(
      () => (asked += 1),
      (count) => count === 3,
      { everyMs: 1 },
    ),
    3,
  )
  await assert.rejects(
    eventually(
      () => 'never',
      (answer) => answer === 'ready',
      { seconds: 0.05, everyMs: 5 },
    ),
    /last: "never"/,
  )
})

test('a temporary directory is deleted at the end of its scope', async () => {
  let path = ''
  {
    await using folder = await temporaryDirectory()
    path = folder.path
    await writeFile(join(path, 'file'), '')
  }
  assert.equal(existsSync(path), false)
})

test('events are parsed however chunks are split and with any line ending', async () => {
  const text = ': hi\n\nid: 1\nevent: add\ndata: {"a":"ü"}\n\nid: 2\n\ndata:x\r\ndata: y\r\n\r\ndata: cut off'
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const body = ReadableStream.from([bytes.subarray(0, cut), bytes.subarray(cut)])
    assert.deepEqual(await Array.fromAsync(readEventStream(body)), [
      { event: 'add', id: '1', data: '{"a":"ü"}' },
      { event: 'message', id: undefined, data: 'x\ny' },
    ])
  }
  const json = ReadableStream.from([new TextEncoder().encode('data: {"a":1}\n\ndata: {"a":2}\n\n')])
  assert.deepEqual(await Array.fromAsync(readEvents(json)), [{ a: 1 }, { a: 2 }])
})

test(
  'databases of one server are separate; the server ends with its process',
  { skip: postgresObstacle() },
  async () => {
    const program = `
    import { createPostgresDatabase } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
    const [first, second] = [await createPostgresDatabase(), await createPostgresDatabase()]
    console.log(JSON.stringify([first, second]))`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program])
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
    const [first, second] = (JSON.parse(text) as string[]).map((address) => new URL(address))
    assert.equal(first?.host, second?.host)
    assert.notEqual(first?.pathname, second?.pathname)
    const connect = async () => {
      const socket = createConnection(Number(first?.port), '127.0.0.1')
      await once(socket, 'connect').finally(() => socket.destroy())
      return 'open'
    }
    await eventually(
      () => connect().catch((error: NodeJS.ErrnoException) => error.code),
      (state) => state === 'ECONNREFUSED',
    )
  },
)

test('a service that fails to start reports the reason and leaves no process running', async () => {
  await assert.rejects(startServiceProcess('no-such-service'), /did not start[^]*unknown command 'no-such-service'/)
  const { code, stderr } = await runCommand(['no-such-service'])
  assert.equal(code, 1)
  assert.match(stderr, /unknown command/)
})

/** What is on the pages of a test; the others throw an error. */
const pages: Readonly<Record<string, string>> = {
  '/': '',
  '/bad': '<img src="data:,">',
  '/faint-in-the-dark': '<style>@media (prefers-color-scheme: dark) { p { color: #eee } }</style><p>Text</p>',
  '/wide': '<style>body { margin: 0 }</style><div style="width: 600px">Text</div>',
}

test(
  'the browser shows a page, axe judges it, and a script error fails the test',
  { skip: browserObstacle() },
  async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      if (request.url === '/strict') response.setHeader('content-security-policy', "script-src 'self'")
      const contents = pages[request.url ?? ''] ?? '<script>throw new Error("oops")</script>'
      response.end(`<!doctype html><html lang="en"><title>t</title><main><h1>Hello</h1>${contents}</main>`)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      await using browser = await startBrowser({ mayComplain: true })
      await browser.page.goto(url)
      await assertAccessible(browser.page)
      await browser.page.goto(`${url}/bad`)
      await assert.rejects(assertAccessible(browser.page), /image-alt/)
      for (const [path, reason] of [
        ['/bad', /image-alt/],
        ['/faint-in-the-dark', /color-contrast/],
        ['/wide', /210 px wider than 390/],
      ] as const) {
        await browser.page.goto(`${url}${path}`)
        await assert.rejects(assertUsableOn(browser.page, everyScreen), reason)
      }
      await browser.page.goto(`${url}/broken`)
      await eventually(
        () => browser.complaints.length,
        (count) => count > 0,
      )
      assert.match(browser.complaints.join(), /oops/)
      await browser.page.goto(`${url}/strict`)
      await eventually(
        () => browser.complaints.join(),
        (text) => text.includes('Content Security Policy'),
      )
      await assert.rejects(async () => {
        await using careless = await startBrowser()
        await careless.page.goto(`${url}/broken`)
        await eventually(
          () => careless.complaints.length,
          (count) => count > 0,
        )
      }, /pages complained:\noops/)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  },
)
