import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { UpstreamCheck } from '../src/traffic/upstreams/check-upstreams.ts'
import { startSites } from './in-process.ts'

test('upstreams are checked before a site uses them, and forbidden ones are not connected to', async () => {
  const open = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(open, 'listening')
  const { port } = open.address() as AddressInfo
  await using sites = await startSites()
  const admin = await sites.signIn()
  const check = async (urls: string[]) => {
    const path = '/api/sites/check-upstreams'
    const { status, body } = await admin.json<{ upstreams: UpstreamCheck[] }>('POST', path, { json: { urls } })
    assert.equal(status, 200, JSON.stringify(body))
    return body.upstreams
  }
  const url = `http://127.0.0.1:${port}`
  const [up, metadata, itself, odd] = await check([
    url,
    'http://169.254.169.254',
    sites.url.replace(/\/$/, ''),
    'ftp://a',
  ])
  assert.deepEqual([up?.url, up?.up, up?.reason], [url, true, null])
  assert.ok(Number(up?.latency_ms) >= 0)
  assert.deepEqual([metadata?.up, itself?.up, odd?.up], [null, null, null])
  assert.match(metadata?.reason ?? '', /metadata/)
  assert.match(itself?.reason ?? '', /this service or Caddy/)
  assert.match(odd?.reason ?? '', /must start with/)
  open.close()
  await once(open, 'close')
  const [down] = await check([url])
  assert.deepEqual([down?.up, down?.reason], [false, 'ECONNREFUSED'])
})

test('only administrators may check upstreams', async () => {
  await using sites = await startSites()
  await sites.signIn()
  await sites.addUser('grace', 'user')
  const user = await sites.signInAs('grace')
  const json = { urls: ['http://127.0.0.1:9'] }
  assert.equal((await user.call('POST', '/api/sites/check-upstreams', { json })).status, 403)
})
