import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '@hearth/http'
import { askingRuns, createConformance, openApiFaults, operationsOf, requestsFor } from '@hearth/testing'
import * as fc from 'fast-check'
import type { Passkey } from '../src/passkeys/schema.ts'
import { startSites } from './in-process.ts'
import { createAuthenticator } from './software-authenticator.ts'

/** What never ends, or would end the session everything is asked with. */
const left = new Set([
  'GET /api/v1/events',
  'GET /api/v1/traffic/live',
  'DELETE /api/session',
  'DELETE /api/users/{id}',
])

test('the API document is valid OpenAPI 3.1', async () => {
  await using sites = await startSites()
  assert.deepEqual(await openApiFaults(openApiOf(sites.service.app.http)), [])
})

test('whatever is asked, every answer is one the document describes, and none is a 500', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const { id } = await sites.addUser('grace', 'user')
  const headers = { origin: sites.url.replace('127.0.0.1', 'localhost') }
  const start = await admin.json<{ options: object }>('POST', '/api/passkeys/register/start', { headers, json: {} })
  const credential = createAuthenticator(headers.origin).create(start.body.options)
  const json = { credential }
  const made = await admin.json<{ passkey: Passkey }>('POST', '/api/passkeys/register/finish', { headers, json })
  const document = openApiOf(sites.service.app.http)
  const conformance = createConformance(document)
  for (const operation of operationsOf(document).filter(({ method, path }) => !left.has(`${method} ${path}`))) {
    const ids = [id, made.body.passkey.id, 'none']
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, ids), async ({ url, body }) => {
        const response = await admin.call(operation.method, url, {
          headers,
          ...(body === undefined ? {} : { json: body }),
        })
        const text = await response.text()
        const contentType = response.headers.get('content-type') ?? ''
        assert.notEqual(response.status, 500, `${operation.method} ${url} ${JSON.stringify(body)}: ${text}`)
        conformance.check(operation.method, url.replace(/\?.*/s, ''), {
          status: response.status,
          contentType,
          body: contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : text,
        })
      }),
      askingRuns(6),
    )
  }
  for (const expected of [
    'GET /api/session 200',
    'GET /api/users 200',
    'GET /api/passkeys 200',
    'GET /api/v1/ready 503',
    'POST /api/passkeys/login/start 200',
    'POST /api/session/recovery-codes 200',
    'GET /openapi.json 200',
  ])
    assert.ok(conformance.seen.has(expected), `${expected} was never seen`)
})
