import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { CheckResult } from '../src/uptime/schema.ts'
import type { UploadedCertificate } from '../src/certificates/schema.ts'
import { startForeignCaddy } from './foreign-caddy.ts'
import { startSites } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite, sayingSite } from './served.ts'
import { detailOf, reach } from './site-uptime.ts'
import { createTestAuthority } from './test-authority.ts'

const skip = caddyObstacle() ?? false
const check = { interval_seconds: 60, failures: 2 }

test('a site is down while one of its names has no certificate, also across a restart', { skip }, async () => {
  await using sites = await startSites({}, { caddy: true, timers: createFastTimers(30) })
  const admin = await sites.signIn()
  const authority = createTestAuthority()
  const upload = (names: string[]) => {
    const { chain, key } = authority.issue({ names })
    return { certificate: chain, private_key: key }
  }
  const { body: uploaded } = await admin.json<UploadedCertificate>('POST', '/api/certificates', {
    json: { name: 'Mine', ...upload(['a.test']) },
  })
  const { id } = await makeSite(admin, {
    site_name: 'A',
    domains: ['a.test', 'b.test'],
    kind: 'respond',
    respond: { body: 'ok' },
    tls: { mode: 'custom', certificate_id: uploaded.id },
    check,
  })
  await reach(admin, id, 'up')
  const down = await reach(admin, id, 'down')
  assert.match(down.failure?.asked ?? '', /^A TLS handshake for https:\/\/b\.test\/ from Caddy at 127\.0\.0\.1:\d+$/)
  assert.equal(down.failure?.kind, 'certificate')
  assert.match(down.incidents[0]?.failure.asked ?? '', /b\.test/)
  assert.deepEqual(
    down.names.map(({ name, what, failure }) => [name, what, failure?.kind]),
    [
      ['a.test', 'request', undefined],
      ['b.test', 'handshake', 'certificate'],
    ],
  )
  const { body: now } = await admin.json<CheckResult>('POST', `/api/v1/sites/${id}/check`)
  assert.deepEqual([now.is_good, now.asked], [false, down.failure?.asked])
  await sites.restart()
  const again = await sites.signIn()
  await eventually(
    () => detailOf(again, id),
    ({ recent }) => recent.length >= 3,
    { seconds: 120 },
  )
  assert.equal((await detailOf(again, id)).state, 'down')
  const renewed = await again.call('PUT', `/api/certificates/${uploaded.id}`, { json: upload(['a.test', 'b.test']) })
  assert.equal(renewed.status, 200)
  const back = await reach(again, id, 'up')
  assert.equal(back.incidents.length, 1)
  assert.notEqual(back.incidents[0]?.ended_at, null)
})

test('a site is checked at every Caddy server that serves it', { skip }, async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy()
  await using sites = await startSites(one.environment, { timers: createFastTimers(30) })
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  const added = await admin.json<{ id: number }>('POST', '/api/nodes', { json: { name: 'edge', ...two.asNode } })
  assert.equal((await admin.call('POST', `/api/nodes/${added.body.id}/onboard`, { json: {} })).status, 200)
  const { id } = await makeSite(admin, { ...sayingSite('shared', 'ok'), check })
  const up = await reach(admin, id, 'up')
  assert.deepEqual(
    up.names.map(({ name, server }) => [name, server]),
    [
      ['shared.test', 'caddy'],
      ['shared.test', 'edge'],
    ],
  )
  await two.kill()
  const down = await reach(admin, id, 'down')
  assert.equal(down.failure?.asked, `GET http://shared.test/ from the Caddy server edge at 127.0.0.1:${two.httpPort}`)
  await two.start()
  await reach(admin, id, 'up')
  // A server whose ports this service does not reach says nothing about the site.
  await two.kill()
  await reach(admin, id, 'down')
  assert.equal((await admin.json('PATCH', '/api/v1/settings', { json: { site_probe: false } })).status, 200)
  const alone = await reach(admin, id, 'up')
  assert.deepEqual(
    alone.names.map(({ server }) => server),
    ['caddy'],
  )
})
