import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createOutboundAllow } from '@hearth/outbound'
import { createStemFetch } from './stem-fetch.ts'

test('the service’s own host may be private; other names that resolve to private addresses are refused', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.host ?? '')
    response.end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const looked: string[] = []
  const allow = createOutboundAllow([])
  const parts = {
    allow,
    resolver: (host: string) => {
      looked.push(host)
      return Promise.resolve(host === 'rebound.lalal.ai' ? ['93.184.216.34', '127.0.0.1'] : ['127.0.0.1'])
    },
  }
  const guarded = createStemFetch({ ...parts, baseUrl: `http://localhost:${port}` })
  const local = createStemFetch({ ...parts, baseUrl: `http://127.0.0.1:${port}` })
  try {
    for (const one of [guarded.fetch(`http://localhost:${port}/`), local.fetch(`http://127.0.0.1:${port}/`)])
      assert.equal(await (await one).text(), 'here')
    for (const host of ['d.lalal.ai', 'rebound.lalal.ai'])
      await assert.rejects(guarded.fetch(`http://${host}:${port}/`), TypeError)
    assert.equal(asked.length, 2)
    assert.deepEqual(looked, ['localhost', 'd.lalal.ai', 'rebound.lalal.ai'])
  } finally {
    await guarded.close()
    await local.close()
    await new Promise((resolve) => server.close(resolve))
  }
})
