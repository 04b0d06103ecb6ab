import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { startMedia } from './in-process.ts'

test('every page and file of the application is served, with its token, and nothing that does not exist', async () => {
  await using media = await startMedia()
  for (const path of ['/', '/settings', '/statistics', '/job/none']) {
    media.cookies.clear()
    const response = await media.call('GET', path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path)
    assert.ok(media.cookies.has(csrfCookie), path)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src 'self' 'nonce-[\w-]+'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    await response.arrayBuffer()
  }
  const files: [string, RegExp][] = [
    ['/favicon.ico', /image\/(?:vnd.microsoft.icon|x-icon)/],
    ['/docs', /text\/html/],
    ['/redoc', /text\/html/],
    ['/openapi.json', /application\/json/],
    ['/health', /application\/json/],
  ]
  for (const [path, type] of files) {
    const response = await media.call('GET', path)
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-type') ?? '', type, path)
    await response.arrayBuffer()
  }
  for (const path of ['/api/none', '/download/none', '/none.js', '/.env', '/events/none'])
    assert.equal((await media.call('GET', path)).status, 404, path)
})
