import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { request } from 'node:http'
import { startSites } from './in-process.ts'

/** What a host answers at the plain HTTP port. */
export function askHost(port: number, host: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  request({ port, host: '127.0.0.1', headers: { host }, agent: false }, (answer) => {
    let text = ''
    answer.on('data', (part: Buffer) => (text += part.toString()))
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
  })
    .on('error', reject)
    .end()
  return promise
}

test('a site that is created over HTTP is served by Caddy when the answer comes, and gone when it is removed', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  const json = {
    site_name: 'Hello',
    domains: ['hello.test'],
    kind: 'respond',
    tls: { mode: 'off' },
    respond: { body: 'Hello there' },
  }
  const made = await admin.json<{ site: { id: number; apply_state: string }; synced: boolean }>('POST', '/api/sites', {
    json,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual([made.body.synced, made.body.site.apply_state], [true, 'applied'])
  const [port] = sites.caddyPorts
  assert.deepEqual(await askHost(port, 'hello.test'), { status: 200, text: 'Hello there' })
  const { id } = made.body.site
  const changed = await admin.json('PATCH', `/api/sites/${id}`, { json: { respond: { body: 'Changed' } } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal((await askHost(port, 'hello.test')).text, 'Changed')
  assert.equal((await admin.call('DELETE', `/api/sites/${id}`)).status, 200)
  assert.equal((await askHost(port, 'hello.test')).status, 404)
})
