import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import { startService, testPassword, type TestService } from './in-process.ts'

const publicUrl = 'http://vpn.example.org:8101'
const host = new URL(publicUrl).host

const startProvider = () => startOpenIdProvider({ publicUrl, path: '/api/openid' })

const cookieOf = (reply: { headers: Record<string, unknown> }, name: string) =>
  [reply.headers['set-cookie']]
    .flat()
    .map((line) => String(line).split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`) && !pair.endsWith('='))

/** Signs the provider's person in as a browser does: returns where it ends, and the session's cookie. */
async function signIn(service: TestService, provider: OpenIdProvider, next = '/peers') {
  const start = await service.send('GET', `/api/openid?next=${encodeURIComponent(next)}`, { headers: { host } })
  assert.equal(start.status, 303, start.text)
  const cookie = cookieOf(start, 'hearth_vpn_openid')
  if (cookie === undefined) return { location: start.headers['location'], session: undefined }
  const { pathname, search } = await provider.visit(String(start.headers['location']))
  const headers = { host, cookie, 'sec-fetch-site': 'cross-site' }
  const callback = await service.send('GET', `${pathname}${search}`, { headers })
  assert.equal(callback.status, 303, callback.text)
  return { location: callback.headers['location'], session: cookieOf(callback, 'hearth_vpn_session') }
}

const whoIs = async (service: TestService, session: string | undefined) =>
  (await service.send('GET', '/api/session', { headers: { host, cookie: session ?? '' } })).body.data?.user

const eventsOf = async (service: TestService) => {
  const { data } = (await service.call('GET', '/api/security-log')).body
  return data.filter(({ method, kind }: { method: string; kind: string }) => method === 'openid' || /failed/.test(kind))
}

test('people sign in through a provider: with the role of their groups, as the user of their subject', async () => {
  await using provider = await startProvider()
  await using service = await startService(provider.settings)
  assert.deepEqual((await service.send('GET', '/api/openid/provider')).body.data, { name: 'House account' })
  const { location, session } = await signIn(service, provider)
  assert.equal(location, '/peers')
  const maria = await whoIs(service, session)
  assert.deepEqual([maria.username, maria.role, maria.email], ['maria', 'user', 'maria@example.org'])
  assert.equal(maria.password_change_required, false)
  provider.person = { ...provider.person, preferred_username: 'someone-else', groups: ['admins'] }
  const promoted = await whoIs(service, (await signIn(service, provider)).session)
  assert.deepEqual([promoted.id, promoted.username, promoted.role], [maria.id, 'maria', 'admin'])
  const events = await eventsOf(service)
  assert.deepEqual(
    events.map(({ kind, username, detail }: Record<string, unknown>) => [kind, username, detail]),
    [
      ['sign_in', 'maria', null],
      ['rights_changed', 'maria', 'role: admin'],
      ['sign_in', 'maria', null],
      ['user_created', 'maria', 'role: user'],
    ],
  )
})

test('who is refused ends at the sign-in page with a reason, and nobody becomes a local user by its name', async () => {
  await using provider = await startProvider()
  await using service = await startService(provider.settings)
  const refusalOf = async () => {
    const { location, session } = await signIn(service, provider)
    assert.equal(session, undefined)
    return String(location)
  }
  provider.person = { sub: '1', preferred_username: 'Admin', groups: ['admins'] }
  assert.equal(await refusalOf(), '/?sign_in_error=openid_name_taken')
  provider.person = { sub: '2', preferred_username: 'eve', groups: ['guests'] }
  assert.equal(await refusalOf(), '/?sign_in_error=openid_not_allowed')
  provider.decision = 'decline'
  assert.equal(await refusalOf(), '/?sign_in_error=openid_cancelled')
  const events = await eventsOf(service)
  assert.deepEqual(
    events.map(({ reason, username, target }: Record<string, unknown>) => [reason, username, target]),
    [
      ['openid_not_allowed', null, 'eve'],
      ['openid_name_taken', null, 'Admin'],
    ],
  )
})

test('an answer without its cookie, or a second time, opens no session', async () => {
  await using provider = await startProvider()
  await using service = await startService(provider.settings)
  const start = await service.send('GET', '/api/openid', { headers: { host } })
  const { pathname, search } = await provider.visit(String(start.headers['location']))
  const answer = (cookie: string) => service.send('GET', `${pathname}${search}`, { headers: { host, cookie } })
  const cookie = cookieOf(start, 'hearth_vpn_openid') ?? ''
  assert.match(String(start.headers['set-cookie']), /Max-Age=600; Path=\/api\/openid; HttpOnly; SameSite=Lax/)
  assert.equal((await answer('')).headers['location'], '/?sign_in_error=openid_expired')
  const right = await answer(cookie)
  assert.equal(right.headers['location'], '/')
  assert.match(String(right.headers['set-cookie']), /hearth_vpn_openid=;/)
  assert.equal((await answer(cookie)).headers['location'], '/?sign_in_error=openid_invalid')
})

test('over https no other host of the domain can set the cookie of a sign-in that is under way', async () => {
  const httpsUrl = 'https://vpn.example.org'
  await using provider = await startOpenIdProvider({ publicUrl: httpsUrl, path: '/api/openid' })
  await using service = await startService(provider.settings)
  const headers = { host: 'vpn.example.org', 'x-forwarded-proto': 'https' }
  const start = await service.send('GET', '/api/openid', { headers })
  const cookie = cookieOf(start, '__Host-hearth_vpn_openid') ?? ''
  assert.match(String(start.headers['set-cookie']), /Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax/)
  const { pathname, search } = await provider.visit(String(start.headers['location']))
  const answer = (sent: string) =>
    service.send('GET', `${pathname}${search}`, { headers: { ...headers, cookie: sent } })
  const planted = await answer(cookie.replace('__Host-', ''))
  assert.equal(planted.headers['location'], '/?sign_in_error=openid_expired')
  assert.equal((await answer(cookie)).headers['location'], '/')
})

test('while the provider is down its page says so and passwords still work; a browser at another address is sent to the public one', async () => {
  await using provider = await startProvider()
  await using service = await startService(provider.settings)
  const moved = await service.send('GET', '/api/openid?next=/dns', { headers: { host: '192.168.1.5:8101' } })
  assert.equal(moved.headers['location'], `${publicUrl}/api/openid?next=%2Fdns&moved=1`)
  await provider.stop()
  assert.equal((await signIn(service, provider)).location, '/?sign_in_error=openid_unavailable')
  assert.equal((await service.signIn('admin', testPassword)).csrf.length > 0, true)
})

test('a disabled user is refused, and an administrator manages users of the provider like others', async () => {
  await using provider = await startProvider()
  await using service = await startService(provider.settings)
  const { id } = await whoIs(service, (await signIn(service, provider)).session)
  const { data: listed } = (await service.call('GET', '/api/users')).body
  assert.deepEqual(
    listed.map(({ username, has_openid, passkeys }: Record<string, unknown>) => [username, has_openid, passkeys]),
    [
      ['admin', false, 0],
      ['maria', true, 0],
    ],
  )
  assert.equal((await service.call('PUT', `/api/users/${id}`, { is_active: false })).status, 200)
  assert.equal((await signIn(service, provider)).location, '/?sign_in_error=disabled_account')
  assert.equal((await service.call('DELETE', `/api/users/${id}`)).status, 200)
  assert.notEqual((await whoIs(service, (await signIn(service, provider)).session)).id, id)
})

test('a sign-in gives back the request that it was, and no attempt with a password', async () => {
  await using provider = await startProvider()
  await using service = await startService({ ...provider.settings, RATE_LIMIT_EXEMPT: '' })
  const ask = (method: 'GET' | 'POST') => service.send(method, '/api/peers', { headers: { host } })
  const left = async (method: 'GET' | 'POST') => Number((await ask(method)).headers['x-ratelimit-remaining'])
  const before = { reads: await left('GET'), writes: await left('POST') }
  assert.notEqual((await signIn(service, provider)).session, undefined)
  // The start counts, the answer does not; and each look is a request itself.
  assert.deepEqual(
    { reads: await left('GET'), writes: await left('POST') },
    { reads: before.reads - 2, writes: before.writes - 1 },
  )
})

test('without a provider there is none', async () => {
  await using service = await startService()
  assert.deepEqual((await service.send('GET', '/api/openid/provider')).body.data, { name: null })
  for (const path of ['/api/openid', '/api/openid/callback?code=x&state=y'])
    assert.equal((await service.send('GET', path)).status, 404)
})
