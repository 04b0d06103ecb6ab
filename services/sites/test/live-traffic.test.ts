import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually, readEvents } from '@hearth/testing'
import type { z } from 'zod'
import type { LiveRequest, SiteTraffic, TrafficOverview, UpstreamState, LastSeen } from '../src/traffic/schema.ts'
import { startSites, testPassword } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { askHost } from './served.ts'

const skip = caddyObstacle() ?? false

async function backend() {
  const server = createServer((request, response) => {
    response.statusCode = request.url?.startsWith('/missing') === true ? 404 : 200
    response.end('from behind')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('requests are shown live and counted for their site, also across a restart', { skip }, async () => {
  await using behind = await backend()
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  const add = async (name: string, kind: object) => {
    const json = { site_name: name, domains: [`${name}.test`], tls: { mode: 'off' }, ...kind }
    const made = await admin.json<{ site: { id: number } }>('POST', '/api/sites', { json })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.site.id
  }
  const app = await add('app', { kind: 'proxy', upstreams: [{ url: `http://127.0.0.1:${behind.port}` }] })
  await add('quiet', { kind: 'respond', respond: { body: '' } })
  const [port] = sites.caddyPorts
  const stream = await admin.call('GET', `/api/v1/traffic/live?site_id=${app}`)
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  const events = readEvents<z.infer<typeof LiveRequest>>(stream.body!)
  assert.deepEqual((await events.next()).value, { request: null, skipped: 0 })
  await askHost(port, 'quiet.test')
  await askHost(port, 'APP.test')
  const { request } = (await events.next()).value as z.infer<typeof LiveRequest>
  assert.deepEqual([request?.site_id, request?.path, request?.status, request?.client], [app, '/', 200, '127.0.0.1'])
  await events.return(undefined)
  await askHost(port, 'stranger.test')

  const overview = await eventually(
    async () => (await admin.json<z.infer<typeof TrafficOverview>>('GET', '/api/v1/traffic?range=1h')).body,
    ({ totals }) => totals.requests === 3,
  )
  assert.deepEqual([overview.elsewhere.requests, overview.sites.length], [1, 2])
  const ofSite = async () => (await admin.json<z.infer<typeof SiteTraffic>>('GET', `/api/v1/sites/${app}/traffic`)).body
  const own = await ofSite()
  assert.deepEqual([own.totals.requests, own.totals.status['2xx'], own.top_paths[0]?.key], [1, 1, '/'])
  const { upstreams } = (
    await admin.json<{ upstreams: z.infer<typeof UpstreamState>[] }>('GET', '/api/v1/traffic/upstreams')
  ).body
  assert.deepEqual(
    upstreams.map(({ address, site_ids, up }) => ({ address, site_ids, up })),
    [{ address: `127.0.0.1:${behind.port}`, site_ids: [app], up: true }],
  )
  const seen = (await admin.json<z.infer<typeof LastSeen>>('GET', '/api/v1/traffic/last-seen')).body
  assert.equal(seen.sites.length, 2)

  await sites.restart()
  const again = await sites.signInAs('admin', testPassword)
  const later = await again.json<z.infer<typeof TrafficOverview>>('GET', '/api/v1/traffic?range=1h')
  assert.equal(later.body.totals.requests, 3)
})

test('everybody sees totals; only administrators see visitors', async () => {
  await using sites = await startSites()
  await sites.addUser('guest', 'user')
  const guest = await sites.signInAs('guest')
  const status = async (path: string) => (await guest.call('GET', path)).status
  for (const path of [
    '/api/v1/traffic',
    '/api/v1/traffic/last-seen',
    '/api/v1/certificates',
    '/api/v1/certificates/grades',
  ])
    assert.equal(await status(path), 200, path)
  for (const path of [
    '/api/v1/traffic/live',
    '/api/v1/traffic/upstreams',
    '/api/v1/sites/1/traffic',
    '/api/certificates',
    '/api/v1/ssllabs/registration-status',
    '/api/v1/ssllabs/scans',
  ])
    assert.equal(await status(path), 403, path)
  const admin = await sites.signInAs('admin')
  assert.equal((await admin.call('GET', '/api/v1/sites/1/traffic')).status, 404)
  assert.equal((await admin.call('GET', '/api/v1/traffic?range=2h')).status, 400)
})
