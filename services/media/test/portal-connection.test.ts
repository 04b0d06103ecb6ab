import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { createFastTimers } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { startOpenIdProvider } from '@hearth/testing/openid-provider'
import { startMedia, type Media } from './in-process.ts'

const publicUrl = 'http://127.0.0.1:8103'
const path = '/api/openid'
const password = 'correct horse battery'

const startPortal = () => startOpenIdProvider({ publicUrl, path })

const timers = createFastTimers(1)

/** Turns sign-in on, and signs in. */
async function turnSignInOn(media: Media): Promise<void> {
  const account = { admin_username: 'ada', admin_password: password }
  await media.call('POST', '/api/settings', { json: { enable_authentication: true, ...account } })
  const page = await (await media.call('GET', '/login')).text()
  const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  // Faster than this no person fills in a form.
  timers.jump(1050)
  const json = { username: 'ada', password, captcha_token, honeypot: '' }
  assert.equal((await media.json('POST', '/login', { json })).status, 200)
}

const offered = async (media: Media) => (await media.json<{ name: string | null }>('GET', `${path}/provider`)).body.name

test('while sign-in is off nobody connects a portal', async () => {
  await using portal = await startPortal()
  await using media = await startMedia({ PUBLIC_URL: publicUrl })
  const json = { issuer: portal.issuer, current_password: '' }
  assert.equal((await media.call('POST', `${path}/connection/start`, { json })).status, 409)
  assert.equal((await media.call('POST', `${path}/connection`)).status, 409)
  assert.equal((await media.call('DELETE', `${path}/connection`)).status, 409)
  assert.deepEqual(portal.requested, [])
})

for (const kind of ['its own database', 'PostgreSQL'] as const)
  test(
    `on ${kind} the account connects a portal, and whoever it lets in uses the account`,
    { skip: kind === 'PostgreSQL' && postgresObstacle() },
    async () => {
      await using portal = await startPortal()
      const database = kind === 'PostgreSQL' ? { DATABASE_URL: await createPostgresDatabase() } : {}
      await using media = await startMedia({ PUBLIC_URL: publicUrl, ...database }, { timers })
      await turnSignInOn(media)
      portal.portal.groups = { allowed: ['family'], admins: [] }
      const json = { issuer: portal.issuer, current_password: password }
      const wrong = await media.call('POST', `${path}/connection/start`, { json: { ...json, current_password: 'x' } })
      assert.ok(wrong.status >= 400 && wrong.status < 500)
      const start = await media.json<{ url: string }>('POST', `${path}/connection/start`, { json })
      assert.equal(start.status, 200, JSON.stringify(start.body))
      const { url } = start.body
      const back = await portal.visit(url)
      const headers = { 'sec-fetch-site': 'cross-site' }
      const callback = await media.call('GET', `${back.pathname}${back.search}`, { headers })
      assert.equal(callback.headers.get('location'), '/settings?tab=access&openid_connection=answered')
      assert.equal((await media.call('POST', `${path}/connection`)).status, 201)
      assert.equal(await offered(media), 'Hearth')
      await media.call('POST', '/logout')
      assert.equal((await media.call('GET', `${path}/connection`)).status, 401)
      const started = await media.call('GET', `${path}?next=/statistics`)
      const { pathname, search } = await portal.visit(started.headers.get('location') ?? '')
      const signedIn = await media.call('GET', `${pathname}${search}`, { headers })
      assert.equal(signedIn.headers.get('location'), '/statistics')
      const { events } = (await media.json<{ events: SecurityEvent[] }>('GET', '/api/security-log')).body
      const kinds = events.map(({ kind: event, username, target }) => [event, username, target])
      assert.deepEqual(kinds[0], ['sign_in', 'ada', 'maria'])
      assert.ok(kinds.some(([event, , target]) => event === 'openid_connected' && target === portal.issuer))
      assert.equal((await media.call('DELETE', `${path}/connection`)).status, 200)
      assert.equal(await offered(media), null)
    },
  )
