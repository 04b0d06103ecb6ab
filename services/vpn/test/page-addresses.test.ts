import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compressionProblems } from '@hearth/testing'
import { startService } from './in-process.ts'

test('every page address responds with 200, and other addresses with the 404 page', async () => {
  await using service = await startService()
  const statusOf = async (path: string) => {
    const reply = await service.send('GET', path)
    assert.match(reply.text, /<div id="root">/, path)
    return reply.status
  }
  for (const path of ['/', '/peers', '/peers/some-id', '/dns/log', '/profile', '/setup', '/traffic/countries?hours=24'])
    assert.equal(await statusOf(path), 200, path)
  for (const path of ['/nowhere', '/dns/none', '/interfaces/wg0', '/index', '/peers/a/b', '/setup/a'])
    assert.equal(await statusOf(path), 404, path)
})

test('the OpenAPI document is sent compressed', async () => {
  await using service = await startService()
  const read = (path: string, headers: Record<string, string>) =>
    service.send('GET', path, { headers, token: service.admin })
  assert.deepEqual(await compressionProblems(read, ['/api/openapi.json']), [])
})
