import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startSites } from './in-process.ts'
import { askHost, makeSite } from './served.ts'

test('a name gets a certificate at its first visit if a site allows it; other names get none', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const ask = async (domain: string, from = '127.0.0.1') =>
    (await sites.browser().call('GET', `/api/v1/on-demand/ask?domain=${encodeURIComponent(domain)}`, { from })).status
  await makeSite(admin, {
    site_name: 'Wanted',
    domains: ['first.example.org', '*.many.example.org'],
    kind: 'respond',
    tls: { mode: 'on_demand' },
    respond: { body: 'hello' },
  })
  await makeSite(admin, {
    site_name: 'Plain',
    domains: ['plain.test'],
    kind: 'respond',
    tls: { mode: 'internal' },
    respond: {},
  })
  assert.deepEqual(
    await Promise.all(['first.example.org', 'FIRST.example.org.', 'x.many.example.org'].map((name) => ask(name))),
    [200, 200, 200],
  )
  const strangers = [
    'plain.test',
    'unknown.example.org',
    'many.example.org',
    'a.b.many.example.org',
    '127.0.0.1',
    '/etc/passwd',
  ]
  for (const name of strangers) assert.equal(await ask(name), 404, name)
  assert.equal(await ask('first.example.org', '192.0.2.1'), 403)
})

test('Caddy queries this service and issues no certificate for an unknown name', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await makeSite(admin, {
    site_name: 'Any',
    domains: ['any.example.org'],
    kind: 'respond',
    tls: { mode: 'on_demand' },
    respond: {},
  })
  await assert.rejects(askHost(sites.caddyPorts[1], 'stranger.example.org', { isSecure: true }))
  const node = await sites.service.app.deploy.nodes.get(1)
  const { config } = (await node?.client.readConfig()) ?? {}
  assert.match(JSON.stringify(config), /"(?:ask|endpoint)":"http:\/\/127\.0\.0\.1:\d+\/api\/v1\/on-demand\/ask"/)
  await eventually(
    async () => JSON.stringify((await node?.client.readConfig())?.config),
    (text) => text.includes(`:${new URL(sites.url).port}/api/v1/on-demand`),
  )
})
