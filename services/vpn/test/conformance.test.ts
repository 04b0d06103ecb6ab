import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '@hearth/http'
import { arbitraryOf, createConformance } from '@hearth/testing'
import * as fc from 'fast-check'
import { validate } from './openapi-document.ts'
import { startService, type TestService } from './in-process.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly { name: string; in: string; schema: object }[]
  readonly body: object | undefined
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: Operation['parameters']; requestBody?: { content: Record<string, { schema: object }> } }
    >
  >
}

function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['application/json']?.schema,
    })),
  )
}

/** Requests for one operation: mostly what it asks for, sometimes wild, paths that exist and paths that do not. */
function requestsFor(
  operation: Operation,
  document: object,
  known: { ids: string[] },
): fc.Arbitrary<{ url: string; body: unknown }> {
  const value = (schema: object) =>
    arbitraryOf(schema, document).map((made) =>
      encodeURIComponent(typeof made === 'string' ? made : JSON.stringify(made)),
    )
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const path = fc.record(
    Object.fromEntries(
      inPath.map(({ name, schema }) => [name, fc.oneof(fc.constantFrom(...known.ids), value(schema))]),
    ),
  )
  const query = fc.record(
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema }) => [name, value(schema)]),
    ),
    { requiredKeys: [] },
  )
  const body = operation.body === undefined ? fc.constant(undefined) : arbitraryOf(operation.body, document)
  return fc.record({ path, query, body }).map((made) => {
    const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => made.path[name] ?? 'x')
    const search = Object.entries(made.query).map(([name, text]) => `${name}=${text}`)
    return { url: search.length > 0 ? `${filled}?${search.join('&')}` : filled, body: made.body }
  })
}

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
  assert.deepEqual(await validate(openApiOf(service.service.app.http)), [])
})

test('whatever is asked, every answer is one the document describes, and none is a 5xx', async () => {
  await using service = await startService()
  const document = openApiOf(service.service.app.http) as object as Document
  const conformance = createConformance(document)
  const ids = await furnish(service)
  const browser = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const left = new Set(['DELETE /api/session', 'POST /api/session', 'POST /api/session/password', 'GET /api/events'])
  for (const operation of operationsOf(document).filter(({ method, path }) => !left.has(`${method} ${path}`))) {
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, { ids }), async ({ url, body }) => {
        const withSession = operation.path.startsWith('/api/session')
        const sender = withSession
          ? browser
          : {
              send: (method: string, path: string, sending: object) =>
                service.send(method, path, { token: service.admin, ...sending }),
            }
        const reply = await sender.send(operation.method, url, body === undefined ? {} : { body })
        assert.ok(reply.status < 500, `${operation.method} ${url} ${JSON.stringify(body)}: ${reply.text}`)
        conformance.check(operation.method, url.replace(/\?.*/s, ''), {
          status: reply.status,
          contentType: reply.headers['content-type'] ?? '',
          body: reply.body,
        })
      }),
      { numRuns: 40 },
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
