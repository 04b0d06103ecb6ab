import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import { sessionCookie } from '../src/access.ts'
import { startMedia, type Media } from './in-process.ts'

const startProvider = () => startOpenIdProvider({ publicUrl: 'http://127.0.0.1:8103', path: '/api/openid' })

const turnSignInOn = (media: Media) =>
  media.call('POST', '/api/settings', {
    json: { enable_authentication: true, admin_username: 'ada', admin_password: 'correct horse battery' },
  })

/** Signs the provider's person in as a browser does, and returns where it ends. */
async function signIn(media: Media, provider: OpenIdProvider): Promise<string | null> {
  const started = await media.call('GET', '/api/openid?next=/statistics')
  assert.equal(started.status, 303)
  const { pathname, search } = await provider.visit(started.headers.get('location') ?? '')
  const headers = { 'sec-fetch-site': 'cross-site' }
  return (await media.call('GET', `${pathname}${search}`, { headers })).headers.get('location')
}

test('a person of a group of administrators uses the account, and the security log names the person', async () => {
  await using provider = await startProvider()
  await using media = await startMedia(provider.settings)
  await turnSignInOn(media)
  assert.deepEqual((await media.json('GET', '/api/openid/provider')).body, { name: 'House account' })
  assert.equal(await signIn(media, provider), '/login?sign_in_error=openid_not_allowed')
  assert.equal((await media.call('GET', '/api/jobs')).status, 401)
  provider.person = { ...provider.person, groups: ['admins'] }
  assert.equal(await signIn(media, provider), '/statistics')
  assert.equal((await media.json<{ username: string }>('GET', '/api/session')).body.username, 'ada')
  // The CSRF token belongs to the new session.
  assert.equal((await media.call('POST', '/api/stats/reset')).status, 200)
  const { events } = (await media.json<{ events: SecurityEvent[] }>('GET', '/api/security-log')).body
  assert.deepEqual(
    events.slice(0, 2).map(({ kind, username, method, reason, target }) => [kind, username, method ?? reason, target]),
    [
      ['sign_in', 'ada', 'openid', 'maria'],
      ['sign_in_failed', null, 'openid_not_allowed', 'maria'],
    ],
  )
  assert.equal((await media.call('POST', '/logout')).status, 303)
  assert.equal((await media.call('GET', '/api/jobs')).status, 401)
})

test('while sign-in is off nobody is asked who they are', async () => {
  await using provider = await startProvider()
  await using media = await startMedia(provider.settings)
  assert.equal(await signIn(media, provider), '/statistics')
  assert.equal(media.cookies.has(sessionCookie), false)
  assert.equal((await media.call('GET', '/api/jobs')).status, 200)
})

test('without a provider there is none', async () => {
  await using media = await startMedia()
  assert.deepEqual((await media.json('GET', '/api/openid/provider')).body, { name: null })
  for (const path of ['/api/openid', '/api/openid/callback']) assert.equal((await media.call('GET', path)).status, 404)
})
