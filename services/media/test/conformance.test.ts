import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '@hearth/http'
import { askingRuns, createConformance, openApiFaults, operationsOf, requestsFor } from '@hearth/testing'
import * as fc from 'fast-check'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

/** What never ends, signs in or out, turns sign-in on, or would fetch a program. */
const left = new Set([
  'GET /events',
  'GET /job/{job_id}',
  'GET /api/jobs/{job_id}/events',
  'POST /login',
  'POST /logout',
  'POST /api/settings',
  'POST /api/jobs/remove-all',
  'POST /api/updates/ytdlp',
])

test('the API document is valid OpenAPI 3.1', async () => {
  await using media = await startMedia()
  assert.deepEqual(await openApiFaults(openApiOf(media.service.app.http)), [])
})

test('whatever is asked, every answer is one the document describes, and none is a 500', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({
    ...knows(platform.host),
    UPDATES_BASE_URL: 'http://127.0.0.1:9',
    STEMSVC_BASE_URL: 'http://127.0.0.1:9',
  })
  const { id } = await media.submit(platform.page('sound.m4a'))
  await media.reach(id, 'analysis_done')
  const document = openApiOf(media.service.app.http)
  const conformance = createConformance(document)
  const ask = async (method: string, url: string, body?: unknown) => {
    const response = await media.call(method, url, body === undefined ? {} : { json: body })
    const text = await response.text()
    const contentType = response.headers.get('content-type') ?? ''
    assert.notEqual(response.status, 500, `${method} ${url} ${JSON.stringify(body)}: ${text}`)
    conformance.check(method, url.replace(/\?.*/s, ''), {
      status: response.status,
      contentType,
      body: contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : text,
    })
  }
  await ask('GET', '/api/jobs')
  await ask('GET', '/api/jobs?limit=0')
  await ask('GET', '/api/jobs/not-there')
  await ask('POST', '/api/submit', {})
  await ask('DELETE', `/api/share/${'long'.repeat(100)}`)
  for (const operation of operationsOf(document).filter(({ method, path }) => !left.has(`${method} ${path}`))) {
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, [id, 'youtube', '0_2000']), async ({ url, body }) => {
        await ask(operation.method, url, body)
      }),
      askingRuns(12),
    )
  }
  for (const expected of [
    'GET /api/jobs 200',
    'GET /api/jobs 400',
    'GET /api/jobs/{job_id} 404',
    'POST /api/submit 400',
  ])
    assert.ok(conformance.seen.has(expected), `${expected} was never seen`)
})
