import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import { startGateway, type TestGateway } from './in-process.ts'

const publicUrl = 'http://inverter.example.org:8102'
const { host } = new URL(publicUrl)

const cookieOf = (reply: { headers: Record<string, unknown> }, name: string) =>
  [reply.headers['set-cookie']]
    .flat()
    .map((line) => String(line).split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`) && !pair.endsWith('='))

async function signIn(gateway: TestGateway, provider: OpenIdProvider) {
  const start = await gateway.send('GET', '/admin/api/openid?next=/energy', { headers: { host } })
  assert.equal(start.status, 303, start.text)
  const { pathname, search } = await provider.visit(String(start.headers['location']))
  const headers = { host, cookie: cookieOf(start, 'hearth_inverter_openid') ?? '', 'sec-fetch-site': 'cross-site' }
  const callback = await gateway.send('GET', `${pathname}${search}`, { headers })
  return { location: callback.headers['location'], cookie: cookieOf(callback, 'hearth_inverter_session') }
}

const start = (environment: Record<string, string>) =>
  startGateway({ environment, device: null, timers: createFastTimers(1) })

test('a person of a group of administrators is the administrator, and the security log names the person', async () => {
  await using provider = await startOpenIdProvider({ publicUrl, path: '/admin/api/openid' })
  await using gateway = await start(provider.settings)
  assert.deepEqual((await gateway.send('GET', '/admin/api/openid/provider')).body, { name: 'House account' })
  assert.equal((await signIn(gateway, provider)).location, '/?sign_in_error=openid_not_allowed')
  provider.person = { ...provider.person, groups: ['admins'] }
  const { location, cookie } = await signIn(gateway, provider)
  assert.equal(location, '/energy')
  const headers = { cookie: cookie ?? '' }
  const session = (await gateway.send('GET', '/admin/api/session', { headers })).body
  // The generated password still waits to be changed, which is nothing to this person.
  assert.deepEqual([session.user.username, session.password_change_required], ['admin', false])
  const { events } = (await gateway.send('GET', '/admin/api/security-log', { headers })).body
  assert.deepEqual(
    events
      .slice(0, 2)
      .map(({ kind, username, method, reason, target }: Record<string, unknown>) => [
        kind,
        username,
        method ?? reason,
        target,
      ]),
    [
      ['sign_in', 'admin', 'openid', 'maria'],
      ['sign_in_failed', null, 'openid_not_allowed', 'maria'],
    ],
  )
  const csrf = { ...headers, 'x-csrf-token': session.csrf_token }
  assert.equal((await gateway.send('DELETE', '/admin/api/session', { headers: csrf })).status, 200)
  assert.equal((await gateway.send('GET', '/admin/api/session', { headers })).status, 401)
})

test('without groups of administrators the allowed groups are let in; passwords work while the provider is down', async () => {
  await using provider = await startOpenIdProvider({ publicUrl, path: '/admin/api/openid' })
  await using gateway = await start({ ...provider.settings, OIDC_ADMIN_GROUPS: '' })
  assert.equal((await signIn(gateway, provider)).location, '/energy')
  await provider.stop()
  const browser = await gateway.signIn()
  assert.equal((await browser.send('GET', '/admin/api/session')).status, 200)
})

test('without a provider there is none', async () => {
  await using gateway = await start({})
  assert.deepEqual((await gateway.send('GET', '/admin/api/openid/provider')).body, { name: null })
  for (const path of ['/admin/api/openid', '/admin/api/openid/callback'])
    assert.equal((await gateway.send('GET', path)).status, 404)
})
