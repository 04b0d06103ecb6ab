import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { startSites } from './in-process.ts'

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('input that databases and parsers dislike is refused and never causes a server error', async () => {
      await using sites = await startSites(kind === 'sqlite' ? {} : { DATABASE_URL: await createPostgresDatabase() })
      const admin = await sites.signIn()
      const texts = ['\0', 'a\0b', '\ud800', '😀'.repeat(10), "' or 1=1 --", '%', '__proto__', 'x'.repeat(300)]
      for (const text of texts) {
        const asked: [string, string, object?][] = [
          ['POST', '/api/session', { username: text, password: text }],
          ['POST', '/api/session', { username: 'admin', recovery_code: text }],
          ['POST', '/api/users', { username: text, password: `${text}${text}12345678` }],
          ['POST', '/api/session/reauthenticate', { password: text }],
          ['PATCH', `/api/users/${encodeURIComponent(text.toWellFormed())}`, { is_active: true }],
          ['DELETE', `/api/passkeys/${encodeURIComponent(text.toWellFormed())}`],
          ['PATCH', `/api/passkeys/${encodeURIComponent(text.toWellFormed())}`, { device_name: text }],
          ['PATCH', '/api/v1/settings', { acme_email: text }],
          ['PATCH', '/api/v1/settings', { acme_ca: `https://ca.example/${text}` }],
          ['PATCH', '/api/v1/settings', { maintenance_page: text }],
        ]
        for (const [method, path, json] of asked) {
          const { status } = await admin.call(method, path, json === undefined ? {} : { json })
          assert.ok(status < 500, `${method} ${path} ${JSON.stringify(json)}: ${status}`)
          // One of them may have signed in anew, or changed nothing at all.
          assert.equal((await admin.call('GET', '/api/session')).status, 200)
        }
      }
      assert.equal((await admin.call('GET', '/api/v1/settings')).status, 200)
    })
  })

test('a body that is too deep, truncated, too large or polluting is refused', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const bodies: [string, number][] = [
    ['['.repeat(400_000), 400],
    [`${'['.repeat(400_000)}${']'.repeat(400_000)}`, 422],
    ['{"a":', 400],
    ['{"__proto__":{"role":"admin"},"username":"eve"}', 400],
    ['{"constructor":{"prototype":{}}}', 400],
    ['null', 422],
    ['"text"', 422],
    [`{"username":"${'x'.repeat(1_100_000)}"}`, 413],
  ]
  for (const [body, expected] of bodies) {
    const response = await fetch(`${sites.url}/api/users`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-csrf-token': await admin.csrf(),
        cookie: [...admin.cookies].map((pair) => pair.join('=')).join('; '),
      },
    })
    assert.equal(response.status, expected, body.slice(0, 40))
    assert.equal(typeof ((await response.json()) as { detail: unknown }).detail, 'string')
  }
})

test('HEAD on the event stream opens no stream', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const response = await admin.call('HEAD', '/api/v1/events')
  assert.equal(response.status, 200)
  assert.equal(sites.service.app.events.listeners, 0)
})

test('HEAD on the live requests opens no stream', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  for (let index = 0; index < 21; index += 1)
    assert.equal((await admin.call('HEAD', '/api/v1/traffic/live')).status, 200, `${index + 1}`)
  const stream = await admin.call('GET', '/api/v1/traffic/live')
  assert.equal(stream.status, 200)
  await stream.body?.cancel()
})
