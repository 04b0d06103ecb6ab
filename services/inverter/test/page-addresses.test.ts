import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compressionProblems } from '@hearth/testing'
import { startGateway } from './in-process.ts'

test('every page URL answers 200, and other URLs answer 404 with the “not found” page', async () => {
  await using service = await startGateway()
  const statusOf = async (path: string) => {
    const reply = await service.send('GET', path)
    assert.match(reply.text, /<div id="root">/, path)
    return reply.status
  }
  for (const path of ['/', '/inverters', '/inverters/main', '/energy/main', '/about'])
    assert.equal(await statusOf(path), 200, path)
  for (const path of ['/nowhere', '/inverters/main/more', '/tokens/1', '/metric'])
    assert.equal(await statusOf(path), 404, path)
})

test('the OpenAPI document is sent compressed', async () => {
  await using service = await startGateway({ device: null, environment: { DOCS_PUBLIC: 'true' } })
  const faults = await compressionProblems(
    (path, headers) => service.send('GET', path, { headers }),
    ['/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/start.js', '/docs'],
  )
  assert.deepEqual(faults, [])
})
