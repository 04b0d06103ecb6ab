import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compressionProblems, rawReader } from '@hearth/testing'
import { startSites } from './in-process.ts'

test('every page address responds with 200, and other addresses with the 404 page', async () => {
  await using service = await startSites()
  const statusOf = async (path: string) => {
    const reply = await service.browser().call('GET', path)
    assert.match(await reply.text(), /<div id="root">/, path)
    return reply.status
  }
  for (const path of ['/', '/sites', '/sites/1', '/revisions/2', '/onboarding', '/welcome', '/account'])
    assert.equal(await statusOf(path), 200, path)
  for (const path of ['/nowhere', '/sites/1/2', '/settings/more', '/server'])
    assert.equal(await statusOf(path), 404, path)
})

test('the OpenAPI document is sent compressed', async () => {
  await using service = await startSites()
  const faults = await compressionProblems(rawReader(service.url), [
    '/openapi.json',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/start.js',
    '/docs',
    '/redoc',
    '/redoc/style.css',
  ])
  assert.deepEqual(faults, [])
})
