import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  arbitraryOf,
  assertAccessible,
  browserObstacle,
  createConformance,
  eventually,
  readEvents,
  startBrowser,
  temporaryDirectory,
} from './index.ts'

const document = {
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { content: { 'application/json': { schema: { type: 'object', required: ['error'] } } } },
        },
      },
    },
  },
  components: {
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
  assert.throws(check(200, { size: 1, secret: 2 }), /not as described/)
  assert.throws(check(500, {}), /is not described/)
  assert.throws(check(200, '', 'text/plain'), /came as text\/plain/)
  assert.throws(() => conformance.check('GET', '/other', { status: 200, body: {}, contentType: '' }), /not described/)
  assert.deepEqual([...conformance.seen], ['GET /things/{id} 200', 'GET /things/{id} 404'])
})

test('arbitrary values are mostly what the schema says', () => {
  const values = fc.sample(arbitraryOf({ $ref: '#/components/schemas/Thing' }, document), { numRuns: 300, seed: 1 })
  const good = values.filter((value) => Number.isInteger((value as { size?: unknown } | null)?.size))
  assert.ok(good.length > 200 && good.length < 300, `${good.length} of 300`)
})

test('eventually waits for the state, and fails with the last answer', async () => {
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

test('a temporary directory is gone afterwards', async () => {
  let path = ''
  {
    await using folder = await temporaryDirectory()
    path = folder.path
    await writeFile(join(path, 'file'), '')
  }
  assert.equal(existsSync(path), false)
})

test('events are read across chunk borders', async () => {
  const chunks = ['id: 1\nda', 'ta: {"a":', '1}\n\n: comment\n\ndata: {"a":2}\n\n']
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  assert.deepEqual(await Array.fromAsync(readEvents(body)), [{ a: 1 }, { a: 2 }])
})

test(
  'the browser shows a page, axe judges it, and a script error fails the test',
  { skip: browserObstacle() },
  async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      const script = request.url === '/broken' ? '<script>throw new Error("oops")</script>' : ''
      response.end(
        `<!doctype html><html lang="en"><title>t</title><main><h1>Hello</h1>${request.url === '/bad' ? '<img src="data:,">' : ''}</main>${script}`,
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      await using browser = await startBrowser({ mayComplain: true })
      await browser.page.goto(url)
      await assertAccessible(browser.page)
      await browser.page.goto(`${url}/bad`)
      await assert.rejects(assertAccessible(browser.page), /image-alt/)
      await browser.page.goto(`${url}/broken`)
      await eventually(
        () => browser.complaints.length,
        (count) => count > 0,
      )
      assert.match(browser.complaints.join(), /oops/)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  },
)
